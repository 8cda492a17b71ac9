package graph

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
)

// takePod makes the pod of a service the pod template of the component, with the main container first.
func (c *Component) takePod(service *v1alpha1.Service) {
	template := &corev1.PodTemplateSpec{}
	if meta := service.ExtraPodMetadata; meta != nil {
		template.Labels, template.Annotations = meta.Labels, meta.Annotations
	}
	if pod := service.ExtraPodSpec; pod != nil {
		template.Spec, c.written = pod.PodSpec, pod.MainContainer
	}
	c.beside = template.Spec.Containers
	if main, ok := c.mainOf(service); ok {
		c.main = 0
		template.Spec.Containers = slices.Insert(slices.Clip(template.Spec.Containers), 0, main)
	}
	c.PodTemplate = template
}

// mainOf a service is its main container as the user has written it in both places: mainContainer and, with lower priority, the fields of the
// service. Of variables with the same name the last one takes effect. Volumes that the service mounts are left out, because some of their
// paths depend on the framework. ok is false if there is nothing of it.
//
// The priority is that of the operator, which converts services to components: variables by name, resources by name, a probe as a whole.
// What its conversion drops is kept, so this is not the conversion of apis/conversion: envFromSecret beside envFrom of mainContainer, each of
// several variables with the same name, and a further container that is called main, which is refused.
// https://github.com/ai-dynamo/dynamo/blob/2a6da14c8/deploy/operator/api/v1alpha1/shared_spec_conversion.go
func (c *Component) mainOf(service *v1alpha1.Service) (main corev1.Container, ok bool) {
	secret := ptr.Deref(service.EnvFromSecret, "")
	if c.written == nil && service.Resources == nil && len(service.Envs) == 0 && secret == "" && service.LivenessProbe == nil && service.ReadinessProbe == nil {
		return corev1.Container{}, false
	}
	main = ptr.Deref(c.written, corev1.Container{})
	main.Name = v1beta1.MainContainer
	if len(service.Envs) > 0 {
		main.Env = slices.Concat(service.Envs, main.Env)
	}
	if secret != "" {
		main.EnvFrom = append(slices.Clip(main.EnvFrom), FromSecret(secret))
	}
	main.Resources = underlaid(main.Resources, service.Resources)
	main.LivenessProbe = c.mainProbe(service.LivenessProbe, main.LivenessProbe, LivenessProbe)
	main.ReadinessProbe = c.mainProbe(service.ReadinessProbe, main.ReadinessProbe, ReadinessProbe)
	return main, true
}

// FromSecret are the variables in a Secret.
func FromSecret(name string) corev1.EnvFromSource {
	return corev1.EnvFromSource{SecretRef: &corev1.SecretEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: name}}}
}

// mainProbe is the probe of mainContainer, otherwise that of the service. One without a handler only changes the other fields of that of
// the service.
func (c *Component) mainProbe(component, own *corev1.Probe, name string) *corev1.Probe {
	if own == nil {
		return component
	}
	if component == nil || HasHandler(own) {
		return own
	}
	return MergeProbe(component, own, c.FieldsOfProbe(v1beta1.MainContainer, name))
}

// FieldsOfProbe reports which fields of a probe of a container the user has written.
func (c *Component) FieldsOfProbe(container, probe string) func(field string) bool {
	return func(field string) bool { return c.graph.ContainerHas(c.Name, container, probe, field) }
}

// HasHandler reports whether a probe says what to check.
func HasHandler(p *corev1.Probe) bool {
	return p.Exec != nil || p.HTTPGet != nil || p.TCPSocket != nil || p.GRPC != nil
}

// MergeProbe merges a probe without a handler with one of lower priority. set reports which fields the user has written, so that an
// explicit 0 takes effect.
func MergeProbe(base, user *corev1.Probe, set func(field string) bool) *corev1.Probe {
	if user == nil {
		return base
	}
	if base == nil {
		return user
	}
	merged := base.DeepCopy()
	for name, value := range map[string]struct{ into, from *int32 }{
		"initialDelaySeconds": {&merged.InitialDelaySeconds, &user.InitialDelaySeconds},
		"periodSeconds":       {&merged.PeriodSeconds, &user.PeriodSeconds},
		"timeoutSeconds":      {&merged.TimeoutSeconds, &user.TimeoutSeconds},
		"successThreshold":    {&merged.SuccessThreshold, &user.SuccessThreshold},
		"failureThreshold":    {&merged.FailureThreshold, &user.FailureThreshold},
	} {
		if set(name) {
			*value.into = *value.from
		}
	}
	if user.TerminationGracePeriodSeconds != nil {
		merged.TerminationGracePeriodSeconds = user.TerminationGracePeriodSeconds
	}
	return merged
}

// underlaid are resources and, with lower priority, those of the short form, by the names of the resources.
func underlaid(own corev1.ResourceRequirements, short *v1alpha1.Resources) corev1.ResourceRequirements {
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
