package plan

import (
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/composite"
)

// findChildren looks up the children of the PodCliqueSet by service, each by its name. A label would also match the PodCliques within
// scaling groups, which are not needed, and whose status Grove writes for each pod that starts: each write to a required object counts
// against the budget of the graph in Crossplane. A service that was removed from the spec, which is refused, still runs.
// https://github.com/ai-dynamo/grove/blob/main/operator/internal/controller/podclique/reconcilestatus.go
func findChildren(f *subject.Facts) map[string]graphplan.Child {
	// Crossplane fails if a required kind is not served.
	if f.Observed.PodCliqueSet == nil || !f.Cluster.Grove {
		return nil
	}
	wanted := map[string]string{}
	for _, name := range f.Graph.ServiceNames() {
		wanted[names.Lower(name)] = name
	}
	var children map[string]graphplan.Child
	for lower, group := range observed.GroupsOf(f.Observed.PodCliqueSet) {
		required := observed.RequiredChild(f.Graph, lower, group)
		object, _ := f.Requirements.Get(required)
		name, ok := wanted[lower]
		if object == nil || !ok {
			continue
		}
		if children == nil {
			children = map[string]graphplan.Child{}
		}
		children[name] = observed.Child(required.Kind, object)
	}
	return children
}

// expectChildren of the PodCliqueSet that is composed for a new graph, so that Crossplane calls the function only once in the reconcile that
// follows, in which the PodCliqueSet is observed. They change no more often than they do when that reconcile requires them.
func expectChildren(req *fnv1.RunFunctionRequest, f *subject.Facts, p *graphplan.Plan) {
	if p.Orchestrator != graphplan.Grove || f.Observed.PodCliqueSet != nil || !f.Cluster.Grove || f.Graph.Namespace == "" || !composite.IsReconciled(req) {
		return
	}
	for _, service := range f.Graph.ComponentsByName() {
		f.Requirements.Expect(observed.RequiredChild(f.Graph, names.Clique(service.Name), service.IsScalingGroup()))
	}
}
