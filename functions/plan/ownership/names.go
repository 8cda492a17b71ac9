// Package ownership prevents a graph from taking over objects of other owners: a forced server-side apply would change them, and they
// would be deleted with the graph.
package ownership

import (
	"math"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/inventory"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	computedomainv1beta1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/computedomain/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/lost"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/validate"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
)

// maxReplicasOfRefused is the number of replicas of each component that are looked up for a graph that is refused, which can request any
// number.
const maxReplicasOfRefused = 16

// Lookup of the objects of a graph that do not exist yet.
type Lookup struct {
	facts *subject.Facts
	plan  *graphplan.Plan

	// replicas of each component to look up.
	replicas int32

	// Missing objects, of kinds that the cluster serves. Crossplane fails if any other kind is required.
	Missing []inventory.Object
}

// LookupOf the objects of a plan. For a graph that is refused, the number of replicas is limited.
func LookupOf(f *subject.Facts, p *graphplan.Plan, refused bool) (Lookup, subject.Outcome) {
	var o subject.Outcome
	l := Lookup{facts: f, plan: p, replicas: math.MaxInt32}
	// Without a namespace there is nothing to look up, and without a limit the number of names is unbounded.
	if f.Graph.Namespace == "" || len(f.Graph.Components) > validate.MaxComponents {
		l.replicas = 0
		return l, o
	}
	if refused {
		l.replicas = maxReplicasOfRefused
	}
	lister := inventory.Lister{
		Graph: f.Graph, Plan: p, Observed: keysOf(f), Generations: generations(f),
		Scaling: scaling.MayHelp(f.Graph, f.Observed), MaxReplicas: l.replicas,
	}
	l.Missing = slices.DeleteFunc(lister.Missing(), func(missing inventory.Object) bool { return !canLookUp(f, &o.Requirements, missing) })
	return l, o
}

// Names looks up the name of each object of the graph that does not exist yet. For example, graph a with component b-c and graph a-b with
// component c have objects of the same name. Nothing is created until all names are known to be free. Observed objects belong to the graph
// and are not looked up. Objects that the graph adopts are returned by their keys.
func Names(l Lookup) (lost.Objects, subject.Outcome) {
	var outcome subject.Outcome
	if l.replicas == 0 {
		return nil, outcome
	}
	check := newNameCheck(l.facts)
	for _, o := range l.Missing {
		if object, _ := outcome.Requirements.Get(l.facts.Answers, requirementOf(l.facts.Graph, o)); object != nil {
			check.judge(o, object)
		}
	}
	check.podCliqueSets(&outcome.Requirements, l.plan, l.replicas)
	outcome.Refuse(subject.AwaitsDeletion, check.waits...)
	outcome.Refuse(subject.NameTaken, check.errors()...)
	return check.adopted, outcome
}

func requirementOf(g *graph.Graph, o inventory.Object) require.Object {
	return require.Object{Name: o.Requirement(), APIVersion: o.APIVersion, Kind: o.Kind, ObjectName: o.Name, Namespace: g.Namespace}
}

// keysOf the observed objects.
func keysOf(f *subject.Facts) map[string]bool {
	keys := map[string]bool{}
	for _, key := range f.Observed.Keys() {
		keys[key] = true
	}
	return keys
}

// generations of the gangs that observed LeaderWorkerSets name, by the names of the sets.
func generations(f *subject.Facts) map[string]string {
	all := map[string]string{}
	for i := range f.Observed.LeaderWorkerSets {
		set := &f.Observed.LeaderWorkerSets[i]
		if generation, own := names.GenerationOfSchedulingGroup(set.Name, set.SchedulingGroup); own {
			all[set.Name] = generation
		}
	}
	return all
}

func canLookUp(f *subject.Facts, r *require.Requirements, o inventory.Object) bool {
	switch o.Kind {
	case computedomainv1beta1.Kind:
		return f.ServesComputeDomains(r)
	case inventory.KindClaimTemplate:
		return f.ServesClaimTemplates(r)
	default:
		// An invalid name is a separate error.
		return len(validation.IsDNS1123Subdomain(o.Name)) == 0
	}
}
