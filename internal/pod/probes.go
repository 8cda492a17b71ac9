package pod

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
)

// keepOwnChecks removes the default probes, and keeps those in which the user says what to check.
func keepOwnChecks(container *corev1.Container, user corev1.Container) {
	if user.LivenessProbe == nil || !graph.HasHandler(user.LivenessProbe) {
		container.LivenessProbe = nil
	}
	if user.ReadinessProbe == nil || !graph.HasHandler(user.ReadinessProbe) {
		container.ReadinessProbe = nil
	}
	if user.StartupProbe == nil || !graph.HasHandler(user.StartupProbe) {
		container.StartupProbe = nil
	}
}

// probeOf is a default probe for a container whose ports may differ from the default ones. If the container has no port with the name in
// the probe and its number, the probe uses the number, because the kubelet treats an unknown name as a failure.
func probeOf(probe *corev1.Probe, container *corev1.Container, defaults []corev1.ContainerPort) *corev1.Probe {
	if probe == nil || probe.HTTPGet == nil {
		return probe
	}
	probe.HTTPGet.Port = portOf(probe.HTTPGet.Port, container.Ports, defaults)
	return probe
}

// portOf is a default port as a probe of a container with some ports refers to it.
func portOf(port intstr.IntOrString, ports, defaults []corev1.ContainerPort) intstr.IntOrString {
	i := slices.IndexFunc(defaults, func(p corev1.ContainerPort) bool { return p.Name == port.StrVal })
	if i < 0 {
		return port
	}
	return named(defaults[i], ports)
}

// named is a port by its name if the ports contain it with the same number, otherwise by its number.
func named(port corev1.ContainerPort, ports []corev1.ContainerPort) intstr.IntOrString {
	if slices.ContainsFunc(ports, func(p corev1.ContainerPort) bool { return p.Name == port.Name && p.ContainerPort == port.ContainerPort }) {
		return intstr.FromString(port.Name)
	}
	return intstr.FromInt32(port.ContainerPort)
}
