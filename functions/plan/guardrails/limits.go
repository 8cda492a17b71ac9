package guardrails

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// size of a graph, or of one of its components.
type size struct {
	replicas, nodes, gpus int64

	// surges and stores say that pods which exist only for a while are among them: those that rollouts add, and those of SnapshotJobs.
	surges, stores bool
}

// add the size of another component.
func (s *size) add(other size) {
	s.replicas += other.replicas
	s.nodes += other.nodes
	s.gpus += other.gpus
	s.surges, s.stores = s.surges || other.surges, s.stores || other.stores
}

// sizeOf replicas that span nodes, of which each has so many GPUs. Pods without GPUs share nodes with others.
func sizeOf(replicas, nodes, gpus int64) size {
	if gpus == 0 {
		nodes = 0
	}
	return size{replicas: replicas, nodes: replicas * nodes, gpus: replicas * gpus}
}

// limits compares the size of the graph with what is allowed. A live graph may stay as large as it is, and become smaller.
func (c *checker) limits(p *graphplan.Plan) {
	if c.rails.MaxGPUs == nil && c.rails.MaxNodes == nil && c.rails.MaxReplicas == nil {
		return
	}
	var wanted, live size
	for _, component := range c.facts.Graph.ComponentsByName() {
		gpus := c.facts.TakenGPUs(component)
		wanted.add(wantedSize(component, p.Orchestrator, component.PerReplica(c.facts.TakenGPUs)))
		runs := c.liveSize(component)
		if checkpoint := p.Components[component.Name].Checkpoint; checkpoint != nil && checkpoint.Creates {
			job := sizeOf(1, 1, gpus)
			job.replicas, job.stores = 0, true
			wanted.add(job)
			// Whether pods that run are to be stored follows from how they were built.
			if runs.replicas > 0 {
				runs.add(job)
			}
		}
		live.add(runs)
	}
	wanted.gpus += c.facts.SharedGPUs()
	// GPUs that the containers of a pod share are in claims, and the pods do not show how many there are.
	live.gpus = max(live.gpus, c.facts.Observed.Status.TotalGPUs())
	added, remedy := wanted.forAWhile()
	c.limit(wanted.gpus, live.gpus, c.rails.MaxGPUs, "GPUs"+added, remedy)
	c.limit(wanted.nodes, live.nodes, c.rails.MaxNodes, "nodes for pods with GPUs"+added, remedy)
	c.limit(wanted.replicas, live.replicas, c.rails.MaxReplicas, "replicas"+added, remedy)
}

// forAWhile says which pods only exist for a while, and what to do about a size that is too large.
func (s *size) forAWhile() (added, remedy string) {
	switch {
	case s.surges && s.stores:
		return " with the pods that rollouts and checkpoints add", "reduce replicas, what each of them requests, or annotation " + metadata.AnnotationMaxSurge
	case s.surges:
		return " with the pods that rollouts add", "reduce replicas, what each of them requests, or annotation " + metadata.AnnotationMaxSurge
	case s.stores:
		return " with the pods that checkpoints add", "reduce replicas, or what each of them requests, or refer to a checkpoint that exists"
	default:
		return "", "reduce replicas, or what each of them requests"
	}
}

func (c *checker) limit(wanted, live int64, most *int64, what, remedy string) {
	if most == nil || wanted <= *most {
		return
	}
	path := graph.ComponentsPath()
	allowed := fmt.Sprintf("the graph may need %d %s, and the platform allows at most %d", wanted, what, *most)
	switch {
	case !c.facts.Live():
		c.outcome.Refuse(subject.Mistake, message.Invalid(path, wanted, "%s; %s", allowed, remedy))
	case wanted > live:
		c.outcome.Refuse(subject.Mistake, message.Invalid(path, wanted, "%s; it runs with %d, and cannot become larger", allowed, live))
	default:
		c.outcome.Warn(path, "%s; it stays as it is, and can become smaller, but not larger", allowed)
	}
}

// wantedSize of a component whose replicas take some GPUs each: with as many replicas as its autoscaling allows, and those that a rollout adds. Only
// Deployments add any.
func wantedSize(component *graph.Component, orchestrator graphplan.Orchestrator, gpus int64) size {
	replicas := int64(component.Replicas())
	if component.IsAutoscaled() {
		replicas = max(replicas, int64(component.Autoscaling.MaxReplicas))
	}
	added := int64(0)
	if orchestrator != graphplan.Grove && !component.IsMultinode() {
		added = pod.Surge(pod.RolloutStrategy(pod.WorkloadAnnotations(component)), replicas)
	}
	wanted := sizeOf(replicas+added, int64(component.Nodes()), gpus)
	wanted.surges = added > 0
	return wanted
}

// liveSize of a component.
func (c *checker) liveSize(component *graph.Component) size {
	pods := c.facts.Observed.Pods[names.Lower(component.Name)]
	replicas, runs := c.facts.Observed.Running(component.Name)
	if !runs || len(pods) == 0 {
		return size{}
	}
	if most, ok := observed.MaxReplicas(c.facts.Observed.Object(names.KeyAutoscaler(component.Name))); ok {
		replicas = max(replicas, most)
	}
	nodes, sets := c.liveNodes(component)
	gpus := func(template *corev1.PodTemplateSpec) int64 {
		return pod.TakenBy(component, template) + c.facts.ClaimedGPUs(&template.Spec)
	}
	leader, workers := &pods[0], &pods[len(pods)-1]
	var strategy appsv1.DeploymentStrategy
	// Other workloads have none, and add no replicas.
	_ = require.Into(tree.At(c.facts.Observed.Object(names.KeyDeployment(component.Name)), "spec", "strategy"), &strategy)
	added := pod.Surge(strategy, int64(replicas))
	live := sizeOf((int64(replicas)+added)*sets, nodes, gpus(leader)+(nodes-1)*gpus(workers))
	if len(leader.Spec.ResourceClaims) > 0 {
		live.nodes = live.replicas * nodes
	}
	return live
}

// liveNodes of a replica of a component, and the replicas of each of its workloads: one, except in a LeaderWorkerSet that was adopted. On Grove
// the number of nodes never changes.
func (c *checker) liveNodes(component *graph.Component) (nodes, replicas int64) {
	if c.facts.Memory.Orchestrator != graphplan.LeaderWorkerSet {
		return int64(component.Nodes()), 1
	}
	spec := tree.At(c.facts.Observed.Object(names.KeyLeaderWorkerSet(component.Name, 0)), "spec")
	number := func(value float64) int64 { return max(1, int64(value)) }
	return number(tree.At(spec, "leaderWorkerTemplate").GetFields()["size"].GetNumberValue()), number(spec.GetFields()["replicas"].GetNumberValue())
}
