package crds

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Pod describes what the API server would refuse in pods with a template, as far as no schema contains the rule. When pods are refused, the
// workload has already been accepted.
func Pod(meta metav1.ObjectMeta, spec *corev1.PodSpec) []string {
	var c checker
	for _, err := range metavalidation.ValidateLabels(meta.Labels, field.NewPath("labels")) {
		c.broken = append(c.broken, err.Error())
	}
	volumes := map[string]bool{}
	for _, volume := range spec.Volumes {
		c.requiref(len(validation.IsDNS1123Label(volume.Name)) == 0, "volume %q is no DNS label", volume.Name)
		c.requiref(!volumes[volume.Name], "volume %s is not unique", volume.Name)
		volumes[volume.Name] = true
	}
	claims := map[string]bool{}
	for _, claim := range spec.ResourceClaims {
		c.requiref(!claims[claim.Name], "resource claim %s is not unique", claim.Name)
		claims[claim.Name] = true
	}
	names := map[string]bool{}
	for _, container := range slices.Concat(spec.InitContainers, spec.Containers) {
		c.requiref(len(validation.IsDNS1123Label(container.Name)) == 0, "container %q is no DNS label", container.Name)
		c.requiref(!names[container.Name], "container %s is not unique", container.Name)
		names[container.Name] = true
		c.container(&container, volumes, claims)
	}
	c.requiref(len(spec.Containers) > 0, "there is no container")
	return c.broken
}

func (c *checker) container(container *corev1.Container, volumes, claims map[string]bool) {
	paths := map[string]bool{}
	for _, mount := range container.VolumeMounts {
		c.requiref(volumes[mount.Name], "container %s: there is no volume %q", container.Name, mount.Name)
		c.requiref(mount.MountPath != "" && !paths[mount.MountPath], "container %s: mount path %q is not unique", container.Name, mount.MountPath)
		paths[mount.MountPath] = true
	}
	for _, claim := range container.Resources.Claims {
		c.requiref(claims[claim.Name], "container %s: there is no resource claim %q", container.Name, claim.Name)
	}
	ports := map[string]bool{}
	for _, port := range container.Ports {
		c.requiref(port.Name == "" || len(validation.IsValidPortName(port.Name)) == 0, "container %s: port %q is no name", container.Name, port.Name)
		c.requiref(port.Name == "" || !ports[port.Name], "container %s: port %s is not unique", container.Name, port.Name)
		ports[port.Name] = true
	}
	for _, probe := range []*corev1.Probe{container.LivenessProbe, container.ReadinessProbe, container.StartupProbe} {
		if probe != nil {
			c.probe(container.Name, probe, ports)
		}
	}
	c.resources(container)
}

// probe has one handler, whose port must exist, because the kubelet treats a missing port as a failure.
func (c *checker) probe(container string, probe *corev1.Probe, ports map[string]bool) {
	handlers := 0
	var port intstr.IntOrString
	if probe.Exec != nil {
		handlers++
	}
	if probe.GRPC != nil {
		handlers++
	}
	if probe.HTTPGet != nil {
		handlers, port = handlers+1, probe.HTTPGet.Port
	}
	if probe.TCPSocket != nil {
		handlers, port = handlers+1, probe.TCPSocket.Port
	}
	c.requiref(handlers == 1, "container %s: a probe has %d handlers", container, handlers)
	c.requiref(port.Type == intstr.Int || ports[port.StrVal], "container %s: a probe names port %q, which is not there", container, port.StrVal)
}

// resources that cannot be overcommitted must have limits that are equal to the requests.
func (c *checker) resources(container *corev1.Container) {
	for name, request := range container.Resources.Requests {
		limit, limited := container.Resources.Limits[name]
		c.requiref(!limited || request.Cmp(limit) <= 0, "container %s: request of %s is more than its limit", container.Name, name)
		c.requiref(!extended(name) || limited && request.Cmp(limit) == 0, "container %s: request of %s is not its limit", container.Name, name)
	}
	for name, limit := range container.Resources.Limits {
		c.requiref(!extended(name) || limit.Cmp(*resource.NewQuantity(limit.Value(), limit.Format)) == 0, "container %s: %s is no whole number", container.Name, name)
	}
}

// extended reports whether a resource is one of a device plugin.
func extended(name corev1.ResourceName) bool {
	return len(validation.IsQualifiedName(string(name))) == 0 && slices.Contains([]byte(name), '/')
}
