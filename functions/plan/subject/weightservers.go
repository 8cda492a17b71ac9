package subject

import (
	"slices"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/memory"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
)

// runWeightServers of the components of a graph that ask for them. This is decided once, because Grove refuses to change the cliques of a live
// PodCliqueSet: it has weight servers if it was created with them. No other orchestrator has them; a new graph that needs them is
// refused.
func runWeightServers(g *graph.Graph, o *observed.State) {
	elsewhere := false
	if o.PodCliqueSet == nil {
		current := memory.Of(o, g).Orchestrator
		elsewhere = current != "" && current != graphplan.Grove
	}
	for _, component := range g.ComponentsByName() {
		if component.WantsWeightServers() && !elsewhere && mayRunWeightServer(o.PodCliqueSet, component.Name) {
			g.RunWeightServers(component.Name)
		}
	}
}

// mayRunWeightServer reports whether a PodCliqueSet has a weight server for a component, or does not exist yet.
func mayRunWeightServer(set *grovev1alpha1.PodCliqueSet, component string) bool {
	return set == nil || slices.ContainsFunc(set.Spec.Template.Cliques, func(c grovev1alpha1.Clique) bool { return names.IsWeightClique(component, c.Name) })
}
