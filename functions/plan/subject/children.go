package subject

import (
	"slices"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
)

// ChildLookups are those of the children of the PodCliqueSet, by lower-cased component, each by its name. A label would also match the PodCliques
// within scaling groups, which are not needed, and whose status Grove writes for each pod that starts: each write to a required object counts
// against the budget of the graph in Crossplane. A component that was removed from the spec, which is refused, still runs.
// https://github.com/ai-dynamo/grove/blob/main/operator/internal/controller/podclique/reconcilestatus.go
func (s *Seen) ChildLookups() map[string]require.Object {
	// Crossplane fails if a required kind is not served.
	if s.Observed.PodCliqueSet == nil || !s.Cluster.Grove {
		return nil
	}
	lookups := map[string]require.Object{}
	for lower, group := range observed.GroupsOf(s.Observed.PodCliqueSet) {
		lookups[lower] = observed.RequiredChild(s.Graph, lower, group)
	}
	return lookups
}

// childrenOf the PodCliqueSet, by the component that they run. nil if there are none.
func childrenOf(s *Seen, r *require.Requirements) map[string]graphplan.Child {
	components := s.Graph.ComponentNames()
	var children map[string]graphplan.Child
	for lower, lookup := range s.ChildLookups() {
		object, _ := r.Get(s.Answers, lookup)
		i := slices.IndexFunc(components, func(name string) bool { return names.Lower(name) == lower })
		if object == nil || i < 0 {
			continue
		}
		if children == nil {
			children = map[string]graphplan.Child{}
		}
		children[components[i]] = observed.Child(lookup.Kind, object)
	}
	return children
}

// ExpectedChildren are the look-ups for the PodCliqueSet that is composed for a new graph, with which Crossplane calls the function only once in the
// reconcile that follows, in which the PodCliqueSet is observed. They change no more often than they do when that reconcile requires them.
func (f *Facts) ExpectedChildren(req *fnv1.RunFunctionRequest, o graphplan.Orchestrator) []require.Object {
	if o != graphplan.Grove || f.Observed.PodCliqueSet != nil || !f.Cluster.Grove || f.Graph.Namespace == "" || !observed.IsReconciled(req) {
		return nil
	}
	var lookups []require.Object
	for _, component := range f.Graph.ComponentsByName() {
		lookups = append(lookups, observed.RequiredChild(f.Graph, names.Clique(component.Name), component.IsScalingGroup()))
	}
	return lookups
}
