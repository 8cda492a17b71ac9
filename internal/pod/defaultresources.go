package pod

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// addDefaultResources adds the defaults of the platform for resources of the main container that the user does not set. The limit of one and
// the request of the other would not fit each other, so both are taken from the same.
func addDefaultResources(r *corev1.ResourceRequirements, s *graph.Component, defaults graphplan.Resources) {
	add := func(own, defaults corev1.ResourceList) corev1.ResourceList {
		for name, amount := range defaults {
			if !TakesDefault(s, name) {
				continue
			}
			if own == nil {
				own = corev1.ResourceList{}
			}
			own[name] = amount
		}
		return own
	}
	r.Requests, r.Limits = add(r.Requests, defaults.Requests), add(r.Limits, defaults.Limits)
}

// TakesDefault reports whether the user leaves a resource of the main container of a component to the platform. With an amount for the pod as a
// whole, those of the containers have to fit into it.
func TakesDefault(s *graph.Component, name corev1.ResourceName) bool {
	if Requests(s, name) {
		return false
	}
	if s.Pod().Resources == nil {
		return true
	}
	return !has(*s.Pod().Resources, name)
}

// Requests reports whether the user requests a resource for the main container of a component. A limit without a request is a request too.
func Requests(s *graph.Component, name corev1.ResourceName) bool {
	return has(s.Main().Resources, name)
}

func has(r corev1.ResourceRequirements, name corev1.ResourceName) bool {
	return graphplan.Resources{Requests: r.Requests, Limits: r.Limits}.Has(name)
}
