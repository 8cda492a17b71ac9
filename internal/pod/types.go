package pod

import (
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// typeOf the pods of a component, in their environment. promoted says that a worker for one phase of inference has the phase as its type.
func typeOf(s *graph.Component, promoted bool) string {
	component, sub := s.Types()
	if promoted && s.IsPhase() {
		return sub
	}
	return component
}

// labelsOfType are the labels for the type of the pods of a component.
//
// An InferencePool that selects by the type must match running pods too, which may have been built for any release. So in a graph with such
// a pool the labels are those that the user has written.
func labelsOfType(g *graph.Graph, p *graphplan.Plan, s *graph.Component, promoted bool) (component, sub string) {
	if g.HasComponent(v1beta1.ComponentEPP) && !p.PoolByClass {
		return s.ComponentType, s.SubComponentType
	}
	_, sub = s.Types()
	return typeOf(s, promoted), sub
}
