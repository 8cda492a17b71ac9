package validate

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// probe may leave out its handler where it is merged over a default.
func (v *validator) probe(path *field.Path, p *corev1.Probe) {
	if p == nil {
		return
	}
	if n := count(p.Exec != nil, p.HTTPGet != nil, p.TCPSocket != nil, p.GRPC != nil); n > 1 {
		v.forbidden(path, fmt.Sprintf("must have one of exec, httpGet, tcpSocket and grpc, and has %d", n))
	}
	if p.HTTPGet != nil {
		v.port(path.Child("httpGet", "port"), p.HTTPGet.Port)
	}
	if p.TCPSocket != nil {
		v.port(path.Child("tcpSocket", "port"), p.TCPSocket.Port)
	}
	for _, n := range []struct {
		name  string
		value int32
	}{
		{"initialDelaySeconds", p.InitialDelaySeconds},
		{"timeoutSeconds", p.TimeoutSeconds},
		{"periodSeconds", p.PeriodSeconds},
		{"successThreshold", p.SuccessThreshold},
		{"failureThreshold", p.FailureThreshold},
	} {
		if n.value < 0 {
			v.invalid(path.Child(n.name), n.value, "must be 0 or more")
		}
	}
}

func (v *validator) port(path *field.Path, port intstr.IntOrString) {
	problems := validation.IsValidPortName(port.StrVal)
	if port.Type == intstr.Int {
		problems = validation.IsValidPortNum(int(port.IntVal))
	}
	for _, problem := range problems {
		v.invalid(path, port.String(), problem)
	}
}
