package pod

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
)

// MainOf is the main container as the user has written it in both places: mainContainer and, with lower priority, the fields of the
// service. Of variables with the same name the last one takes effect. Volumes that the service mounts are left out, because some of their
// paths depend on the framework.
//
// The priority is that of the operator, which converts services to components: variables by name, resources by name, a probe as a whole.
// Other than the operator, which drops it, envFromSecret is kept beside envFrom of mainContainer.
// https://github.com/ai-dynamo/dynamo/blob/2a6da14c8/deploy/operator/api/v1alpha1/shared_spec_conversion.go
func MainOf(service *graph.Component) corev1.Container {
	g, name := service.Graph(), service.Name
	main := service.PodContainer()
	main.Name = MainContainer
	main.Env = slices.Concat(service.Envs, main.Env)
	if secret := ptr.Deref(service.EnvFromSecret, ""); secret != "" {
		main.EnvFrom = append(slices.Clip(main.EnvFrom), fromSecret(secret))
	}
	main.Resources = service.MainResources()
	main.LivenessProbe = userProbe(service.LivenessProbe, main.LivenessProbe, fieldsOf(g, name, MainContainer, livenessProbe))
	main.ReadinessProbe = userProbe(service.ReadinessProbe, main.ReadinessProbe, fieldsOf(g, name, MainContainer, readinessProbe))
	return main
}

// userProbe is the probe of mainContainer, otherwise that of the service. One without a handler only changes the other fields of that of
// the service.
func userProbe(service, own *corev1.Probe, set func(field string) bool) *corev1.Probe {
	if own == nil {
		return service
	}
	if service == nil || HasHandler(own) {
		return own
	}
	return mergeProbe(service, own, set)
}

// fieldsOf reports which fields of a probe of a container the user has written.
func fieldsOf(g *graph.Graph, service, container, probe string) func(field string) bool {
	return func(field string) bool {
		return g.ContainerHas(service, container, probe, field)
	}
}
