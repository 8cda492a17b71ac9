package pod

import (
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/engine"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
)

// MainContainer is the name of the container that runs the component.
const MainContainer = "main"

// Ports of the component types, by number and by name.
const (
	PortHTTP       = 8000
	PortHTTPName   = "http"
	PortSystem     = 9090
	PortSystemName = "system"
	PortNIXL       = 19090
	PortPlanner    = 9085
	PortEPP        = 9002
	PortEPPName    = "grpc"
	PortEPPHealth  = 9003

	portForwardPass   = 20380
	portPlannerName   = "metrics"
	portEPPHealthName = "grpc-health"
	portEPPMetrics    = 9090
	portEPPMetricName = "metrics"
)

// GracePeriodSeconds of the pods of a component type that specify none.
func GracePeriodSeconds(t v1beta1.ComponentType) int64 {
	if t == v1beta1.ComponentEPP {
		return eppGrace
	}
	return 60
}

// defaults of a component type, with which the settings of the user are merged.
type defaults struct {
	container                     corev1.Container
	terminationGracePeriodSeconds int64
	serviceAccountName            string
	volumes                       []corev1.Volume
}

func (b *Builder) defaultsOf(c component, container string) defaults {
	d := defaults{
		container:                     corev1.Container{Name: container, Command: []string{"/bin/sh", "-c"}},
		terminationGracePeriodSeconds: GracePeriodSeconds(c.spec.Type),
	}
	switch {
	case c.spec.Type == v1beta1.ComponentFrontend:
		frontend(&d.container, c)
	case c.spec.IsWorker():
		worker(&d.container, c)
		if generation := b.Plan.WorkerGeneration; generation != "" {
			d.container.Env = append(d.container.Env, corev1.EnvVar{Name: EnvWorkerSuffix, Value: generation})
		}
	case c.spec.Type == v1beta1.ComponentPlanner:
		planner(&d.container, c)
		d.serviceAccountName = b.Graph.Names().Planner()
	case c.spec.Type == v1beta1.ComponentEPP:
		b.endpointPicker(&d, c)
	}
	if c.spec.Main().Command == nil && !c.spec.NamesNoProgram() {
		d.container.Command = c.spec.Command()
	}
	d.container.Env = append(d.container.Env, b.identityEnv(c, container)...)
	return d
}

func frontend(container *corev1.Container, c component) {
	container.Command, container.Args = []string{"python3"}, []string{"-m", "dynamo.frontend"}
	if len(c.spec.Main().Args) > 0 && c.spec.NamesNoProgram() {
		container.Command, container.Args = []string{"python3", "-m", "dynamo.frontend"}, nil
	}
	http := c.listens(backend.HTTP, port(PortHTTPName, PortHTTP))
	container.Ports = []corev1.ContainerPort{http}
	answers := c.answers(PortHTTPName)
	container.LivenessProbe = answers.live(timing{delay: 15, period: 10, timeout: 1, failures: 3})
	container.ReadinessProbe = answers.health(timing{delay: 10, period: 10, timeout: 3, failures: 3})
	if c.decision.RuntimeVersion.Has(runtime.FrontendStartupProbe) {
		container.StartupProbe = answers.live(timing{period: 10, timeout: 1, failures: 30})
	}
	container.Env = []corev1.EnvVar{
		{Name: "DYNAMO_PORT", Value: number(http)},
		{Name: "DYN_HTTP_PORT", Value: number(http)},
		{Name: envPrefix, Value: c.decision.DynamoNamespace},
	}
	addStrictPrefix(container, c.decision.RuntimeVersion)
}

// EnvWorkerSuffix is the suffix of the Dynamo namespace in which a worker registers, and finds other workers.
const EnvWorkerSuffix = "DYN_NAMESPACE_WORKER_SUFFIX"

// envPrefix is the beginning of the Dynamo namespaces in which a program finds workers: that of its graph, after which theirs may have a suffix.
const envPrefix = "DYN_NAMESPACE_PREFIX"

// addStrictPrefix makes a program find nothing but its own graph by the prefix.
func addStrictPrefix(container *corev1.Container, v runtime.Version) {
	if v.Has(runtime.StrictPrefix) {
		container.Env = append(container.Env, corev1.EnvVar{Name: envPrefix + "_STRICT", Value: "true"})
	}
}

func worker(container *corev1.Container, c component) {
	if framework := c.decision.Framework; framework != "" && c.spec.NamesNoProgram() {
		container.Command = engine.Command(framework)
	}
	system, nixl := c.listens(backend.System, port(PortSystemName, PortSystem)), c.listens(backend.Telemetry, port(backend.PortNIXLName, PortNIXL))
	container.Ports = []corev1.ContainerPort{system, nixl}
	systemProbes(container, c)
	if c.decision.RuntimeVersion.Has(runtime.WorkerLiveness) {
		container.LivenessProbe.FailureThreshold = 3
	}
	container.Env = []corev1.EnvVar{
		{Name: envSystemEnabled, Value: "true"},
		{Name: "DYN_SYSTEM_USE_ENDPOINT_HEALTH_STATUS", Value: `["generate"]`},
		{Name: envSystemPort, Value: number(system)},
		{Name: "DYN_HEALTH_CHECK_ENABLED", Value: strconv.FormatBool(c.decision.RuntimeVersion.Has(runtime.WorkerCanaries))},
		{Name: "NIXL_TELEMETRY_ENABLE", Value: "n"},
		{Name: "NIXL_TELEMETRY_EXPORTER", Value: "prometheus"},
		{Name: "NIXL_TELEMETRY_PROMETHEUS_PORT", Value: number(nixl)},
	}
	if c.decision.RuntimeVersion.Has(runtime.ForwardPassMetrics) {
		container.Env = append(container.Env, corev1.EnvVar{Name: forwardPassEnv, Value: strconv.Itoa(portForwardPass)})
	}
}

func planner(container *corev1.Container, c component) {
	system := c.listens(backend.System, port(PortSystemName, PortSystem))
	container.Ports = []corev1.ContainerPort{port(portPlannerName, PortPlanner), system}
	systemProbes(container, c)
	container.Env = []corev1.EnvVar{
		{Name: "PLANNER_PROMETHEUS_PORT", Value: strconv.Itoa(PortPlanner)},
		{Name: envSystemPort, Value: number(system)},
	}
}

// systemProbes are the probes of a process with Dynamo's system server. An engine may take two hours to load its model.
func systemProbes(container *corev1.Container, c component) {
	answers := c.answers(PortSystemName)
	container.LivenessProbe = answers.live(timing{period: 5, timeout: 4, failures: 1})
	container.ReadinessProbe = answers.health(timing{period: 10, timeout: 4, failures: 3})
	container.StartupProbe = answers.live(timing{period: 10, timeout: 5, failures: 720})
}

type timing struct{ delay, period, timeout, failures int32 }

func (t timing) probe(handler corev1.ProbeHandler) *corev1.Probe {
	return &corev1.Probe{
		ProbeHandler:        handler,
		InitialDelaySeconds: t.delay,
		PeriodSeconds:       t.period,
		TimeoutSeconds:      t.timeout,
		FailureThreshold:    t.failures,
	}
}

func port(name string, number int32) corev1.ContainerPort {
	return corev1.ContainerPort{Name: name, ContainerPort: number, Protocol: corev1.ProtocolTCP}
}

func number(p corev1.ContainerPort) string { return strconv.Itoa(int(p.ContainerPort)) }
