// Package subject holds what every subject of a plan is decided from, and what the decision results in. A subject is one
// function. It takes facts and, where it builds pods, the plan so far, which it only reads; it returns its part of the plan
// and an outcome. Subjects know nothing of each other: what one needs of another is passed to it.
package subject

import (
	"cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/memory"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step/takeover"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/validate"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
)

// Seen is a graph with what is observed of it. This is enough to find objects of the graph that Crossplane does not observe.
type Seen struct {
	// Graph that its user wrote, with the names and the cliques that its objects have kept, and the numbers of its scaling adapters.
	Graph *graph.Graph

	Input    *v1alpha1.Input
	Observed *observed.State
	Memory   *memory.Memory
	Cluster  Cluster

	// Answers to look-ups. A subject reads them with requirements, which it returns in its outcome.
	Answers require.Answers
}

// Facts are the basis of decisions: what is seen when all objects of the graph are observed.
type Facts struct {
	*Seen

	// Buildable is the graph with its numbers limited. Pods are built even for a graph that is refused, because some errors are only
	// visible in pods.
	Buildable *graph.Graph

	// Sources are the documents in which the settings of Input are. The zero value is the input of the step.
	Sources input.Sources

	// Children of the PodCliqueSet, by component.
	Children map[string]graphplan.Child

	// Claims of pods, as far as they are known.
	Claims graphplan.Claims
}

// See what is observed of the graph that a user wrote, and what the cluster supports.
func See(written *graph.Graph, in *v1alpha1.Input, o *observed.State, answers require.Answers, r *require.Requirements) *Seen {
	g := written.Clone()
	g.AdoptedNames = takeover.NamesOf(g, o.Resources())
	runWeightServers(g, o)
	runRuntimeContainers(g, in, o)
	g.AdoptedNames.PodCliqueSet = cmp.Or(g.AdoptedNames.PodCliqueSet, nameOfPodCliqueSet(g, o))
	m := memory.Of(o, g)
	s := &Seen{Graph: g, Input: in, Observed: o, Memory: m, Answers: answers}
	scaling.ByAdapters(g, o, m.Orchestrator, s.makesAdapters())
	s.Cluster = s.detect(r)
	return s
}

// Gather the facts.
func Gather(s *Seen, sources input.Sources, r *require.Requirements) *Facts {
	return &Facts{Seen: s, Buildable: validate.WithinBounds(s.Graph), Sources: sources, Children: childrenOf(s, r), Claims: claimsOf(s, r)}
}

// OfWorkers are the facts about the graph of workers. It is nil if no role has a pod template.
func (f *Facts) OfWorkers() *Facts {
	ofWorkers := f.Graph.OfWorkers()
	if ofWorkers == nil {
		return nil
	}
	seen, own := *f.Seen, *f
	seen.Graph, own.Seen, own.Buildable = ofWorkers, &seen, f.Buildable.OfWorkers()
	return &own
}

// Live reports whether the graph has been deployed before.
func (s *Seen) Live() bool { return s.Memory.Exists() }

// GroveScheduler is the scheduler of pods on Grove that name none. An empty text stands for the default of the cluster. This is decided once, because
// Grove refuses to change the scheduler of a clique: another input, and installing or removing a scheduler, do not affect live graphs.
func (f *Facts) GroveScheduler() string {
	onKAI, onVolcano := f.Cluster.KAI, f.Input.Grove.Scheduler == v1alpha1.GroveSchedulerVolcano
	if f.Memory.OnGrove {
		onKAI, onVolcano = f.Memory.OnKAI(), f.Memory.VolcanoQueue != ""
	}
	switch {
	case onVolcano:
		return graphplan.VolcanoScheduler
	case onKAI:
		return graphplan.KAIScheduler
	default:
		return ""
	}
}

// KeepsKueueQueue reports whether it is decided already if Kueue holds the pods: a workload that gets a queue later, or another one, gets new
// pods, because the webhook of Kueue writes into its template.
func (f *Facts) KeepsKueueQueue() bool { return f.Memory.Placed || takeover.Requested(f.Graph) }

// KueueQueue is the queue in which Kueue holds the pods of the graph. It is empty if it does not hold them.
func (f *Facts) KueueQueue() string {
	switch {
	case f.KeepsKueueQueue():
		return f.Memory.KueueQueue
	case f.Input.Kueue.Mode == v1alpha1.ModeDisabled:
		return ""
	default:
		return cmp.Or(f.Graph.Labels[metadata.LabelKueueQueue], f.Input.Kueue.Queue)
	}
}

// GangScheduler of a graph on LeaderWorkerSets: that of its existing gangs, otherwise that of the platform, otherwise Volcano, which the Dynamo operator uses
// with LeaderWorkerSets, otherwise KAI, and that of Kubernetes if there is neither. It is empty if Kueue admits the pods of a set together.
func (f *Facts) GangScheduler(r *require.Requirements) string {
	switch {
	case f.KueueQueue() != "":
		return ""
	case f.Memory.Gangs.Scheduler != "":
		return f.Memory.Gangs.Scheduler
	case f.Input.LWS.GangProvider == v1alpha1.GangProviderKubernetes:
		return graphplan.KubernetesScheduler
	case f.Cluster.Volcano:
		return graphplan.VolcanoScheduler
	case f.Cluster.KAI:
		return graphplan.KAIScheduler
	case f.ServesGangs(r):
		return graphplan.KubernetesScheduler
	default:
		return graphplan.VolcanoScheduler
	}
}
