package validate

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
)

// handlers checks that every probe has a handler after merging, that its container may have the probe, and what hooks do.
func (v *validator) handlers(path *field.Path, s *graph.Component) {
	v.handler(path, graph.LivenessProbe, s.LivenessProbe, false)
	v.handler(path, graph.ReadinessProbe, s.ReadinessProbe, false)
	for _, c := range containersOf(path, s) {
		// A probe of the main container without a handler gets that of the component, otherwise that of the component type.
		lent := c.main && hasProbes(s.Type)
		v.handler(c.path, graph.LivenessProbe, c.LivenessProbe, lent || c.main && s.LivenessProbe != nil)
		v.handler(c.path, graph.ReadinessProbe, c.ReadinessProbe, lent || c.main && s.ReadinessProbe != nil)
		v.handler(c.path, graph.StartupProbe, c.StartupProbe, lent && s.Type != v1beta1.ComponentFrontend)
		if c.init {
			v.initProbes(c)
		}
		if c.Lifecycle != nil {
			v.hook(c.path.Child("lifecycle", "postStart"), c.Lifecycle.PostStart, s)
			v.hook(c.path.Child("lifecycle", "preStop"), c.Lifecycle.PreStop, s)
		}
	}
}

// hook of a container that starts or stops.
func (v *validator) hook(path *field.Path, h *corev1.LifecycleHandler, s *graph.Component) {
	if h == nil {
		return
	}
	if n := count(h.Exec != nil, h.HTTPGet != nil, h.TCPSocket != nil, h.Sleep != nil); n != 1 {
		v.forbidden(path, "must have exactly one of exec, httpGet, tcpSocket and sleep, but has %d", n)
	}
	if h.Exec != nil && len(h.Exec.Command) == 0 {
		v.required(path.Child("exec", "command"), "specify the command to run")
	}
	switch grace := ptr.Deref(s.Pod().TerminationGracePeriodSeconds, pod.GracePeriodSeconds(s.Type)); {
	case h.Sleep == nil:
	case h.Sleep.Seconds < 0:
		v.invalid(path.Child("sleep", "seconds"), h.Sleep.Seconds, "must be at least 0")
	case h.Sleep.Seconds > grace:
		v.invalid(path.Child("sleep", "seconds"), h.Sleep.Seconds, "must be at most %d, the grace period of the pod; set terminationGracePeriodSeconds to more than %d", grace, h.Sleep.Seconds)
	}
}

// hasProbes reports whether a component type has default probes.
func hasProbes(componentType v1beta1.ComponentType) bool {
	others := []v1beta1.ComponentType{v1beta1.ComponentFrontend, v1beta1.ComponentPlanner, v1beta1.ComponentEPP}
	return slices.Contains(others, componentType) || graph.IsWorkerType(componentType)
}

// handler of a probe, and what only probes of its name have.
func (v *validator) handler(path *field.Path, name string, p *corev1.Probe, lent bool) {
	path = path.Child(name)
	switch {
	case p == nil:
		return
	case p.Exec != nil && len(p.Exec.Command) == 0:
		v.required(path.Child("exec", "command"), "specify the command to run")
	case p.GRPC != nil:
		v.malformed(path.Child("grpc", "port"), p.GRPC.Port, validation.IsValidPortNum(int(p.GRPC.Port)))
	case p.Exec == nil && p.HTTPGet == nil && p.TCPSocket == nil && !lent:
		v.required(path, "specify one of exec, httpGet, tcpSocket and grpc, or remove the probe")
	}
	if p.HTTPGet != nil && p.HTTPGet.Scheme != "" {
		v.oneOf(path.Child("httpGet", "scheme"), string(p.HTTPGet.Scheme), "HTTP", "HTTPS")
	}
	if name != graph.ReadinessProbe && p.SuccessThreshold > 1 {
		v.invalid(path.Child("successThreshold"), p.SuccessThreshold, "must be 1 unless the probe is a readiness probe")
	}
	if name == graph.ReadinessProbe && p.TerminationGracePeriodSeconds != nil {
		v.forbidden(path.Child("terminationGracePeriodSeconds"), "may not be set for readiness probes; remove it")
	}
}

// initProbes refuses probes and hooks of a container that terminates.
func (v *validator) initProbes(c placed) {
	if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
		return
	}
	if c.Lifecycle != nil {
		v.forbidden(c.path.Child("lifecycle"), "may not be set for init containers without restartPolicy: Always; remove it, or set restartPolicy: Always to make the container a sidecar")
	}
	for _, probe := range []struct {
		name string
		set  bool
	}{
		{graph.LivenessProbe, c.LivenessProbe != nil},
		{graph.ReadinessProbe, c.ReadinessProbe != nil},
		{graph.StartupProbe, c.StartupProbe != nil},
	} {
		if probe.set {
			v.forbidden(c.path.Child(probe.name), "may not be set for init containers without restartPolicy: Always; remove the probe, or set restartPolicy: Always to make the container a sidecar")
		}
	}
}
