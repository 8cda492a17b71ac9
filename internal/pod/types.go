package pod

import (
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// Types of a worker. A worker for one phase of inference is a worker with a more specific type in v1alpha1, and has that type itself in
// v1beta1. Both are the same service.
func Types(s *v1alpha1.Service) (component, sub string) {
	switch {
	case isPhase(s.ComponentType):
		return v1alpha1.ComponentWorker, s.ComponentType
	default:
		return s.ComponentType, s.SubComponentType
	}
}

func isPhase(componentType string) bool {
	return componentType == v1alpha1.ComponentPrefill || componentType == v1alpha1.ComponentDecode
}

// IsPhase reports whether a service is a worker for one phase of inference.
func IsPhase(s *v1alpha1.Service) bool {
	component, sub := Types(s)
	return component == v1alpha1.ComponentWorker && isPhase(sub)
}

// typeOf the pods of a service, in their environment. promoted says that a worker for one phase of inference has the phase as its type.
func typeOf(s *v1alpha1.Service, promoted bool) string {
	component, sub := Types(s)
	if promoted && IsPhase(s) {
		return sub
	}
	return component
}

// labelsOfType are the labels for the type of the pods of a service.
//
// An InferencePool that selects by the type must match running pods too, which may have been built for any release. So in a graph with such
// a pool the labels are those that the user has written.
func labelsOfType(g *graph.Graph, p *graphplan.Plan, s *v1alpha1.Service, promoted bool) (component, sub string) {
	if g.HasComponent(v1alpha1.ComponentEPP) && !p.PoolByClass {
		return s.ComponentType, s.SubComponentType
	}
	_, sub = Types(s)
	return typeOf(s, promoted), sub
}
