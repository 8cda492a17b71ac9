package pod

import (
	"cmp"
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

// answers of the HTTP server of a program to probes.
type answers struct {
	scheme                     corev1.URIScheme
	port, livePath, healthPath string
}

// answers of the program of a component at one of its ports, as far as its user decides them. A certificate turns on HTTPS of a frontend.
// https://github.com/ai-dynamo/dynamo/blob/main/lib/llm/src/http/service/health.rs
func (c component) answers(portName string) answers {
	own, prefix, scheme := c.own(), "DYN_SYSTEM", corev1.URIScheme("")
	if portName == PortHTTPName {
		prefix = "DYN_HTTP_SVC"
		if told, _ := c.texts.SettingOf(&own, "DYN_TLS_CERT_PATH", "tls-cert-path"); told.Value != "" || !told.Known {
			scheme = corev1.URISchemeHTTPS
		}
	}
	path := func(variable, standard string) string {
		if told, _ := c.texts.SettingOf(&own, variable, ""); told.Known {
			return cmp.Or(told.Value, standard)
		}
		return standard
	}
	return answers{scheme: scheme, port: portName, livePath: path(prefix+"_LIVE_PATH", "/live"), healthPath: path(prefix+"_HEALTH_PATH", "/health")}
}

func (a answers) live(t timing) *corev1.Probe { return a.probe(a.livePath, t) }

func (a answers) health(t timing) *corev1.Probe { return a.probe(a.healthPath, t) }

func (a answers) probe(path string, t timing) *corev1.Probe {
	return t.probe(corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: path, Port: intstr.FromString(a.port), Scheme: a.scheme}})
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
