package written

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
)

// container is what the user has written for a container that has defaults.
type container struct {
	// Command, Args and Ports take the place of the defaults also where they are empty.
	Command *[]string               `json:"command,omitempty"`
	Args    *[]string               `json:"args,omitempty"`
	Ports   *[]corev1.ContainerPort `json:"ports,omitempty"`

	// Env that has effect. Its order does not matter.
	Env map[string]corev1.EnvVar `json:"env,omitempty"`

	// Requests and Limits that have effect.
	Requests map[string]string `json:"requests,omitempty"`
	Limits   map[string]string `json:"limits,omitempty"`

	// Claims of devices.
	Claims []corev1.ResourceClaim `json:"claims,omitempty"`

	// ZeroOfProbe are the fields of probes without a handler in which the user has written a zero, which then counts against the default.
	ZeroOfProbe []string `json:"zeroOfProbe,omitempty"`

	// Rest is all else, with the Secret of the component in EnvFrom, and its claims in VolumeMounts. The name is fixed.
	Rest corev1.Container `json:"rest,omitzero"`
}

// mainContainer of a component. It does not matter in which of the two places the user has written a field: in the other version of the API
// there is one.
func (w writer) mainContainer(name string) container {
	s, own := w.graph.Component(name), w.graph.Component(name).Main()
	c := w.container(name, pod.MainContainer, &own)
	c.Env = byName(slices.Concat(w.graph.Spec.Env, own.Env))
	c.Rest.VolumeMounts = mountsOf(own.VolumeMounts, s.VolumeMounts)
	return c
}

// addRuntime writes down the variables of the init container with the runtime apart from the rest of it. The main container may override others of
// the graph than the runtime does.
func (w writer) addRuntime(c *component, s *graph.Component) {
	own, index := pod.RuntimeContainer(s)
	if own == nil || !s.HasRuntimeContainer() {
		return
	}
	c.RuntimeEnv = byName(slices.Concat(w.graph.Spec.Env, own.Env))
	c.Pod.InitContainers = slices.Clone(c.Pod.InitContainers)
	c.Pod.InitContainers[index].Env = nil
}

// mountsOf the main container: its own, and those of claims of the component. Caches are left out also where they are mounted like other
// claims.
func mountsOf(own []corev1.VolumeMount, claims []v1alpha1.VolumeMount) []corev1.VolumeMount {
	var mounts []corev1.VolumeMount
	all := sets.New(claims...)
	for _, mount := range own {
		if !all.Has(v1alpha1.VolumeMount{Name: mount.Name, MountPoint: mount.MountPath, UseAsCompilationCache: true}) {
			mounts = append(mounts, mount)
		}
	}
	for _, claim := range claims {
		if !claim.UseAsCompilationCache {
			mounts = append(mounts, corev1.VolumeMount{Name: claim.Name, MountPath: claim.MountPoint})
		}
	}
	return mounts
}

// cachesOf a component are the claims that hold compiled kernels.
func cachesOf(s *graph.Component) []v1alpha1.VolumeMount {
	var caches []v1alpha1.VolumeMount
	for _, claim := range s.VolumeMounts {
		if claim.UseAsCompilationCache {
			caches = append(caches, claim)
		}
	}
	return caches
}

// sidecar of a component is the frontend beside its main container; nil when there is none. Its name is written down unless it is the one that
// services of v1alpha1 have.
func (w writer) sidecar(name string) (sidecar *container, index int) {
	own, index := pod.FrontendSidecar(w.graph.Component(name))
	if own == nil {
		return nil, 0
	}
	c := w.container(name, own.Name, own)
	if own.Name != pod.SidecarContainer {
		c.Rest.Name = own.Name
	}
	return &c, index
}

// container with defaults, as the user has written it.
func (w writer) container(component, name string, own *corev1.Container) container {
	c := container{
		Command: given(own.Command), Args: given(own.Args), Ports: given(own.Ports),
		Env:      byName(own.Env),
		Requests: resourceAmounts(own.Resources.Requests), Limits: resourceAmounts(own.Resources.Limits),
		Claims:      own.Resources.Claims,
		ZeroOfProbe: w.zeroOfProbe(component, name, own),
		Rest:        *own,
	}
	c.Rest.Name, c.Rest.Command, c.Rest.Args, c.Rest.Ports, c.Rest.Env = "", nil, nil, nil, nil
	c.Rest.Resources = corev1.ResourceRequirements{}
	return c
}

// given is a list that the user has written, be it empty; nil where it is absent.
func given[T any](list []T) *[]T {
	if list == nil {
		return nil
	}
	return &list
}

// resourceAmounts of a list of resources, by name.
func resourceAmounts(list corev1.ResourceList) map[string]string {
	all := make(map[string]string, len(list))
	for name, amount := range list {
		all[string(name)] = strict.CanonicalQuantity(amount)
	}
	return all
}

// zeroOfProbe are the fields of the probes without a handler of a container in which the user has written a zero.
func (w writer) zeroOfProbe(component, name string, c *corev1.Container) []string {
	var zeros []string
	for _, p := range []struct {
		name  string
		probe *corev1.Probe
	}{{graph.LivenessProbe, c.LivenessProbe}, {graph.ReadinessProbe, c.ReadinessProbe}, {graph.StartupProbe, c.StartupProbe}} {
		if p.probe == nil || graph.HasHandler(p.probe) {
			continue
		}
		for _, field := range []struct {
			name  string
			value int32
		}{
			{"failureThreshold", p.probe.FailureThreshold},
			{"initialDelaySeconds", p.probe.InitialDelaySeconds},
			{"periodSeconds", p.probe.PeriodSeconds},
			{"successThreshold", p.probe.SuccessThreshold},
			{"timeoutSeconds", p.probe.TimeoutSeconds},
		} {
			if field.value == 0 && w.graph.ContainerHas(component, name, p.name, field.name) {
				zeros = append(zeros, p.name+"."+field.name)
			}
		}
	}
	return zeros
}
