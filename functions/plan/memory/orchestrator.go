package memory

import (
	"slices"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
)

// orchestratorOf a graph: that of its observed objects, else of the references that Crossplane keeps, else of the status. When
// an API is removed, Crossplane first stops observing the objects; once it cannot find them, it drops their references too.
func orchestratorOf(o *observed.State, g *graph.Graph) graphplan.Orchestrator {
	places := append([]map[string]bool{o.WorkloadKinds()}, ReferencedKinds(o, g)...)
	status := o.Status.Orchestrator()
	for _, kinds := range places {
		switch orchestrator := observed.OrchestratorOf(kinds); orchestrator {
		case graphplan.Grove, graphplan.LeaderWorkerSet:
			return orchestrator
		case graphplan.Deployment:
			return orchestratorOfDeployments(places, status, g)
		}
	}
	return status
}

// orchestratorOfDeployments is the orchestrator of a graph of which only Deployments are found. A graph on LeaderWorkerSets
// has Deployments too, and its LeaderWorkerSets may be missing: not created yet, scaled to zero, or of an API that was removed.
// No other orchestrator is combined with Deployments, so components that span nodes must be on LeaderWorkerSets.
func orchestratorOfDeployments(places []map[string]bool, status graphplan.Orchestrator, g *graph.Graph) graphplan.Orchestrator {
	referenced := slices.ContainsFunc(places, func(kinds map[string]bool) bool { return kinds[observed.KindLeaderWorkerSet] })
	if referenced || status == graphplan.LeaderWorkerSet || len(pod.MultinodeComponents(g)) > 0 {
		return graphplan.LeaderWorkerSet
	}
	return graphplan.Deployment
}

// ReferencedKinds are the kinds of the references of a modern, then of a legacy composite resource.
func ReferencedKinds(o *observed.State, g *graph.Graph) []map[string]bool {
	all := make([]map[string]bool, 0, len(o.References))
	for _, refs := range o.References {
		kinds := map[string]bool{}
		for _, ref := range refs {
			if mayBeOf(g, ref) {
				kinds[ref.Kind] = true
			}
		}
		all = append(all, kinds)
	}
	return all
}

// mayBeOf reports whether a reference may be to an object of this chain. References hold no key, so a Deployment is
// recognized by its name.
func mayBeOf(g *graph.Graph, ref observed.Reference) bool {
	return ref.Kind != observed.KindDeployment ||
		slices.ContainsFunc(g.ComponentNames(), func(component string) bool { return g.Names().Component(component) == ref.Name })
}
