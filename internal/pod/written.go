package pod

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
)

// MainOf is the main container as the user has written it in both places: mainContainer and, with lower priority, the fields of the
// service. Of variables with the same name the last one takes effect. Volumes that the service mounts are left out, because some of their
// paths depend on the framework.
//
// The priority is that of the operator, which converts services to components: variables by name, resources by name, a probe as a whole.
// Other than the operator, which drops it, envFromSecret is kept beside envFrom of mainContainer.
// https://github.com/ai-dynamo/dynamo/blob/2a6da14c8/deploy/operator/api/v1alpha1/shared_spec_conversion.go
func MainOf(g *graph.Graph, name string) corev1.Container {
	service := g.Spec.Services[name]
	main := UserContainer(&service)
	main.Name = MainContainer
	main.Env = slices.Concat(service.Envs, main.Env)
	if secret := ptr.Deref(service.EnvFromSecret, ""); secret != "" {
		main.EnvFrom = append(slices.Clip(main.EnvFrom), fromSecret(secret))
	}
	main.Resources = mergeResources(service.Resources, main.Resources)
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

// mergeResources merges the short form with the resources of mainContainer, which have priority, by the names of the resources.
func mergeResources(short *v1alpha1.Resources, own corev1.ResourceRequirements) corev1.ResourceRequirements {
	if short == nil {
		return own
	}
	merged := corev1.ResourceRequirements{
		Requests: underlay(own.Requests, short.Requests),
		Limits:   underlay(own.Limits, short.Limits),
		Claims:   slices.Clone(own.Claims),
	}
	claimed := sets.New(own.Claims...)
	for _, claim := range short.Claims {
		if !claimed.Has(claim) {
			claimed.Insert(claim)
			merged.Claims = append(merged.Claims, claim)
		}
	}
	return merged
}

// underlay adds the resources of the short form that a list does not have.
func underlay(list corev1.ResourceList, short *v1alpha1.ResourceList) corev1.ResourceList {
	if short == nil {
		return list
	}
	merged := corev1.ResourceList{}
	for name, amount := range map[corev1.ResourceName]*resource.Quantity{
		corev1.ResourceCPU:    short.CPU,
		corev1.ResourceMemory: short.Memory,
		GPUName(short):        short.GPU,
	} {
		if amount != nil {
			merged[name] = *amount
		}
	}
	for name, amount := range short.Custom {
		merged[corev1.ResourceName(name)] = amount
	}
	maps.Copy(merged, list)
	return merged
}
