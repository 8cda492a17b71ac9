package validate

import (
	"net"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
)

// probe may omit its handler if it is merged with a default.
func (v *validator) probe(path *field.Path, p *corev1.Probe) {
	if p == nil {
		return
	}
	if n := count(p.Exec != nil, p.HTTPGet != nil, p.TCPSocket != nil, p.GRPC != nil); n > 1 {
		v.forbidden(path, "must have exactly one of exec, httpGet, tcpSocket and grpc, but has %d", n)
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
			v.invalid(path.Child(n.name), n.value, "must be at least 0")
		}
	}
}

func (v *validator) port(path *field.Path, port intstr.IntOrString) {
	problems := validation.IsValidPortName(port.StrVal)
	if port.Type == intstr.Int {
		problems = validation.IsValidPortNum(int(port.IntVal))
	}
	v.malformed(path, port.String(), problems)
}

func (w *warnings) probes(fieldPath *field.Path, s *graph.Component) {
	main := s.WrittenMain()
	replaces := func(own, other *corev1.Probe) bool { return own != nil && other != nil && graph.HasHandler(own) }
	if replaces(main.LivenessProbe, s.LivenessProbe) {
		w.add(fieldPath.Child("livenessProbe"), "has no effect; it is replaced by {{podTemplate.spec.containers[main].livenessProbe}}")
	}
	if replaces(main.ReadinessProbe, s.ReadinessProbe) {
		w.add(fieldPath.Child("readinessProbe"), "has no effect; it is replaced by {{podTemplate.spec.containers[main].readinessProbe}}")
	}
	// The ports of the user replace those of the component type, and its default probes then use the number.
	if main.Ports == nil {
		return
	}
	named := func(name string) bool {
		return slices.ContainsFunc(main.Ports, func(p corev1.ContainerPort) bool { return p.Name == name })
	}
	for _, probe := range s.Probes() {
		if _, port := probe.Asks(); port.StrVal != "" && !named(port.StrVal) {
			w.add(probe.Path, "probes port %s, which is not in {{containers[main].ports}}; the probe fails until the port is added", port.StrVal)
		}
	}
}

// ports warns of where the programs of a component are reached, if that is not where its user says: because it is none, is not in the graph, or
// is not the one that is declared under the name.
func (w *warnings) ports(path *field.Path, s *graph.Component) {
	runtime, where := pod.RuntimeOf(s), graph.MainPath(path)
	if _, i := pod.RuntimeContainer(s); s.HasRuntimeContainer() {
		where = graph.PodPath(path, "initContainers").Index(i)
	}
	switch {
	case s.HasStandby():
	case s.Type == v1beta1.ComponentFrontend, s.Type == v1beta1.ComponentEPP:
		w.port(where, s, &runtime, false)
	case (s.IsWorker() || s.Type == v1beta1.ComponentPlanner) && !checksItself(&runtime, true):
		w.port(where, s, &runtime, false)
	}
	if sidecar, i := pod.FrontendSidecar(s); s.Sidecar != nil {
		w.port(path.Child("frontendSidecar"), s, sidecar, true)
	} else if sidecar != nil {
		w.port(s.BesidePath(i), s, sidecar, true)
	}
}

// port of a container of a component.
func (w *warnings) port(where *field.Path, s *graph.Component, c *corev1.Container, sidecar bool) {
	told, standard, given := pod.Told(s, sidecar)
	w.answers(where, s, c, sidecar)
	if !given {
		return
	}
	place := placeOf(where, told.Place)
	declared := slices.IndexFunc(c.Ports, func(p corev1.ContainerPort) bool { return p.Name == standard.Name })
	switch {
	case told.IsText:
		w.add(place, "%s is no port, so the default probes check port %d, at which nothing answers; set a port", told.Place, standard.ContainerPort)
	case told.Number == 0 && declared >= 0: // The user says where it is.
	case told.Number == 0 && told.Purpose == backend.System:
		w.add(place, "the value of %s is not in the graph, so the default probes check port %d; write the port as value, or set probes of your own", told.Place, standard.ContainerPort)
	case told.Number == 0:
		w.add(place, "the value of %s is not in the graph, so the default probes check port %d, to which the Service leads; write the port as value, or declare port %s with it in ports", told.Place, standard.ContainerPort, standard.Name)
	case declared >= 0 && c.Ports[declared].ContainerPort != told.Number:
		w.add(where.Child("ports"), "port %s is %d, but %s is %d, the port where the program listens, and to which the default probes and the Service lead; use the same number for both", standard.Name, c.Ports[declared].ContainerPort, told.Place, told.Number)
	}
}

// placeOf a flag or a variable of a container.
func placeOf(where *field.Path, told string) *field.Path {
	if strings.HasPrefix(told, "variable") {
		return where.Child("env")
	}
	return where.Child("args")
}

// answers warns of how the program of a component answers, if the default probes do not get an answer.
func (w *warnings) answers(where *field.Path, s *graph.Component, c *corev1.Container, sidecar bool) {
	own, texts := pod.Own(s, sidecar), s.Graph().CommandLines
	prefix, host := "DYN_SYSTEM", [2]string{"DYN_SYSTEM_HOST"}
	if sidecar || s.Type == v1beta1.ComponentFrontend {
		prefix, host = "DYN_HTTP_SVC", [2]string{"DYN_HTTP_HOST", "http-host"}
	}
	told, _ := texts.SettingOf(&own, host[0], host[1])
	if address := net.ParseIP(told.Value); address.IsLoopback() || told.Value == "localhost" {
		w.add(placeOf(where, told.Place), "%s is %s, where neither the kubelet nor other pods reach the program; remove it", told.Place, told.Value)
	}
	if checksItself(c, prefix == "DYN_SYSTEM") {
		return
	}
	for _, path := range [][2]string{{prefix + "_LIVE_PATH", "/live"}, {prefix + "_HEALTH_PATH", "/health"}} {
		if told, given := texts.SettingOf(&own, path[0], ""); given && !told.Known {
			w.add(placeOf(where, told.Place), "the value of %s is not in the graph, so the default probes ask for %s; write the path as value, or set probes of your own", told.Place, path[1])
		}
	}
	if told, given := texts.SettingOf(&own, "DYN_TLS_CLIENT_CA_CERT_PATH", "tls-client-ca-cert-path"); given && prefix == "DYN_HTTP_SVC" {
		w.add(placeOf(where, told.Place), "%s makes the frontend refuse the default probes, because the kubelet has no certificate; set probes of your own, such as tcpSocket", told.Place)
	}
}

// checksItself reports whether the user says what each probe of a container checks. Frontends have no default startup probe.
func checksItself(c *corev1.Container, starts bool) bool {
	probes := []*corev1.Probe{c.LivenessProbe, c.ReadinessProbe}
	if starts {
		probes = append(probes, c.StartupProbe)
	}
	return !slices.ContainsFunc(probes, func(p *corev1.Probe) bool { return p == nil || !graph.HasHandler(p) })
}
