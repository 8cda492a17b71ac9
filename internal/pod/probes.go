package pod

import (
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
)

// probeNames are the JSON names of a container's probes.
const (
	livenessProbe  = "livenessProbe"
	readinessProbe = "readinessProbe"
	startupProbe   = "startupProbe"
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
// the probe, the probe uses the number, because the kubelet treats an unknown name as a failure.
func probeOf(probe *corev1.Probe, container *corev1.Container, defaults []corev1.ContainerPort) *corev1.Probe {
	if probe == nil || probe.HTTPGet == nil {
		return probe
	}
	probe.HTTPGet.Port = portOf(probe.HTTPGet.Port, container.Ports, defaults)
	return probe
}

// portOf is a default port by its name if the ports contain it, otherwise by its number.
func portOf(port intstr.IntOrString, ports, defaults []corev1.ContainerPort) intstr.IntOrString {
	named := func(p corev1.ContainerPort) bool { return p.Name == port.StrVal }
	if i := slices.IndexFunc(defaults, named); i >= 0 && !slices.ContainsFunc(ports, named) {
		return intstr.FromInt32(defaults[i].ContainerPort)
	}
	return port
}

// SystemPort is the port of Dynamo's system server in the pods of a service: that of the user, which default ports and probes follow, otherwise
// the default.
func SystemPort(c *graph.Component) int32 {
	value, ok, _ := OwnSystemPort(c)
	number, err := strconv.ParseInt(value, 10, 32)
	if !ok || err != nil || len(validation.IsValidPortNum(int(number))) > 0 {
		return PortSystem
	}
	return int32(number)
}

// OwnSystemPort is the value that the user gives the variable with the port of the system server. ok is false if there is none in the graph, and
// elsewhere is true if it is because the variable refers to something.
func OwnSystemPort(c *graph.Component) (value string, ok, elsewhere bool) {
	for _, env := range slices.Concat(c.Graph().Spec.Env, RuntimeOf(c).Env) {
		if env.Name == envSystemPort {
			value, ok = env.Value, env.ValueFrom == nil && !strings.Contains(env.Value, "$")
			elsewhere = !ok
		}
	}
	return value, ok, elsewhere
}

// NamesPort reports whether the main container of a service has a port with this name, from the user or by default.
func NamesPort(s *graph.Component, name string) bool {
	if s.HasStandby() {
		return false // The ports of its engines have names of their own.
	}
	if ports := s.Main().Ports; ports != nil {
		return slices.ContainsFunc(ports, func(p corev1.ContainerPort) bool { return p.Name == name })
	}
	switch {
	case s.Type == v1beta1.ComponentFrontend:
		return name == PortHTTPName
	case s.IsWorker(), s.Type == v1beta1.ComponentPlanner:
		return name == PortSystemName
	default:
		// A service without a component type has no default ports.
		return false
	}
}
