package graph

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Names of the probes of containers.
const (
	LivenessProbe  = "livenessProbe"
	ReadinessProbe = "readinessProbe"
	StartupProbe   = "startupProbe"
)

// A Probe of a main container, and where the user has written it.
type Probe struct {
	*corev1.Probe

	Path *field.Path
}

// Probes of the main container that the user has written, without those that others replace.
func (c *Component) Probes() []Probe {
	var all []Probe
	path, main := ComponentPath(c.Name), c.WrittenMain()
	for _, p := range []struct {
		name        string
		own, inMain *corev1.Probe
	}{
		{LivenessProbe, c.LivenessProbe, main.LivenessProbe},
		{ReadinessProbe, c.ReadinessProbe, main.ReadinessProbe},
		{StartupProbe, nil, main.StartupProbe},
	} {
		if p.own != nil && (p.inMain == nil || !HasHandler(p.inMain)) {
			all = append(all, Probe{p.own, path.Child(p.name)})
		}
		if p.inMain != nil {
			all = append(all, Probe{p.inMain, MainPath(path, p.name)})
		}
	}
	return all
}

// Asks is the handler of a probe that asks a port, and the port. Both are empty if it asks none.
func (p Probe) Asks() (handler string, port intstr.IntOrString) {
	switch {
	case p.HTTPGet != nil:
		return "httpGet", p.HTTPGet.Port
	case p.TCPSocket != nil:
		return "tcpSocket", p.TCPSocket.Port
	case p.GRPC != nil:
		return "grpc", intstr.FromInt32(p.GRPC.Port)
	default:
		return "", intstr.IntOrString{}
	}
}
