package written

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/strict"
)

// container is what the user has written for a container that has defaults.
type container struct {
	// Command, Args and Ports take the place of the defaults also where they are empty.
	Command *[]string               `json:"command,omitempty"`
	Args    *[]string               `json:"args,omitempty"`
	Ports   *[]corev1.ContainerPort `json:"ports,omitempty"`

	// Env of graph, container and service. Its order does not matter.
	Env map[string][]corev1.EnvVar `json:"env,omitempty"`

	// Requests and Limits of container and service.
	Requests map[string][]string `json:"requests,omitempty"`
	Limits   map[string][]string `json:"limits,omitempty"`

	// Claims of devices of container and service.
	Claims []corev1.ResourceClaim `json:"claims,omitempty"`

	// ZeroOfProbe are the fields of probes in which the user has written a zero, which then counts against the default.
	ZeroOfProbe []string `json:"zeroOfProbe,omitempty"`

	// Rest is all else, with the Secret of the service in EnvFrom. The name is fixed.
	Rest corev1.Container `json:"rest,omitzero"`
}

// mainContainer of a service.
func (w writer) mainContainer(name string, s *v1alpha1.Service) container {
	own := pod.UserContainer(s)
	c := container{
		Command: given(own.Command), Args: given(own.Args), Ports: given(own.Ports),
		Env:      layered(byName(w.graph.Spec.Envs), byName(own.Env), byName(s.Envs)),
		Requests: layered(amounts(own.Resources.Requests)), Limits: layered(amounts(own.Resources.Limits)),
		Claims:      own.Resources.Claims,
		ZeroOfProbe: w.zeroOfProbe(name, &own),
	}
	if r := s.Resources; r != nil {
		c.Requests = layered(amounts(own.Resources.Requests), shortForm(r.Requests))
		c.Limits = layered(amounts(own.Resources.Limits), shortForm(r.Limits))
		c.Claims = slices.Concat(own.Resources.Claims, r.Claims)
	}
	c.Rest = own
	c.Rest.Name, c.Rest.Command, c.Rest.Args, c.Rest.Ports, c.Rest.Env = "", nil, nil, nil, nil
	c.Rest.Resources = corev1.ResourceRequirements{}
	c.Rest.EnvFrom = withSecret(own.EnvFrom, s.EnvFromSecret)
	return c
}

// sidecarOf a service is the frontend beside its main container; nil when there is none.
func sidecarOf(s *v1alpha1.Service) *container {
	own := s.FrontendSidecar
	if own == nil {
		return nil
	}
	return &container{
		Args: given(own.Args), Env: layered(byName(own.Envs)),
		Rest: corev1.Container{Image: own.Image, EnvFrom: withSecret(nil, own.EnvFromSecret)},
	}
}

// given is a list that the user has written, be it empty; nil where it is absent.
func given[T any](list []T) *[]T {
	if list == nil {
		return nil
	}
	return &list
}

func withSecret(sources []corev1.EnvFromSource, secret *string) []corev1.EnvFromSource {
	name := ptr.Deref(secret, "")
	if name == "" {
		return sources
	}
	return append(slices.Clip(sources), corev1.EnvFromSource{
		SecretRef: &corev1.SecretEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: name}},
	})
}

// amounts of a list of resources, by name.
func amounts(list corev1.ResourceList) map[string]string {
	all := make(map[string]string, len(list))
	for name, amount := range list {
		all[string(name)] = strict.CanonicalQuantity(amount)
	}
	return all
}

// shortForm of amounts, by the names of the resources.
func shortForm(list *v1alpha1.ResourceList) map[string]string {
	if list == nil {
		return nil
	}
	all := map[string]string{}
	for name, amount := range map[string]*resource.Quantity{
		string(corev1.ResourceCPU):    list.CPU,
		string(corev1.ResourceMemory): list.Memory,
		string(pod.GPUName(list)):     list.GPU,
	} {
		if amount != nil {
			all[name] = strict.CanonicalQuantity(*amount)
		}
	}
	for name, amount := range list.Custom {
		all[name] = strict.CanonicalQuantity(amount)
	}
	return all
}

// zeroOfProbe are the fields of the probes of the main container in which the user has written a zero.
func (w writer) zeroOfProbe(name string, c *corev1.Container) []string {
	var zeros []string
	for _, p := range []struct {
		name  string
		probe *corev1.Probe
	}{{"livenessProbe", c.LivenessProbe}, {"readinessProbe", c.ReadinessProbe}, {"startupProbe", c.StartupProbe}} {
		if p.probe == nil {
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
			if field.value == 0 && w.graph.Has("services", name, "extraPodSpec", "mainContainer", p.name, field.name) {
				zeros = append(zeros, p.name+"."+field.name)
			}
		}
	}
	return zeros
}
