package pod

import (
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/engine"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
)

// MainContainer is the name of the container that runs the service.
const MainContainer = "main"

// Ports of the component types, by number and by name.
const (
	PortHTTP       = 8000
	PortHTTPName   = "http"
	PortSystem     = 9090
	PortSystemName = "system"
	PortNIXL       = 19090
	PortNIXLName   = "nixl"
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

// defaults of a component type, with which the settings of the user are merged.
type defaults struct {
	container                     corev1.Container
	terminationGracePeriodSeconds int64
	serviceAccountName            string
	volumes                       []corev1.Volume
}

// IsWorker reports whether a component type runs an engine.
func IsWorker(componentType string) bool {
	switch componentType {
	case v1alpha1.ComponentWorker, v1alpha1.ComponentPrefill, v1alpha1.ComponentDecode:
		return true
	default:
		return false
	}
}

// NamesNoProgram reports whether the user does not specify what runs in the main container of a service: it has no command, and no args
// other than flags. With an empty list as command, the entry point of the image runs.
func NamesNoProgram(s *v1alpha1.Service) bool {
	main := UserContainer(s)
	return main.Command == nil && (len(main.Args) == 0 || strings.HasPrefix(main.Args[0], "--"))
}

// RunsEntryPoint reports whether the entry point of the image runs the args of a main container: it has no command, and args that begin with
// a program, which Kubernetes means by them. A shell would take the program for its script, run it without arguments, and end.
func RunsEntryPoint(s *v1alpha1.Service) bool {
	main := UserContainer(s)
	if s.ComponentType == v1alpha1.ComponentEPP || main.Command != nil {
		return false
	}
	// The default command of frontends is python, which also runs files.
	if s.ComponentType == v1alpha1.ComponentFrontend {
		return backend.BeginsWithOtherProgram(main.Args)
	}
	return backend.BeginsWithProgram(main.Args)
}

// UserContainer is the main container of a service as the user has written it. Empty: there is none.
func UserContainer(s *v1alpha1.Service) corev1.Container {
	if s.ExtraPodSpec == nil || s.ExtraPodSpec.MainContainer == nil {
		return corev1.Container{}
	}
	return *s.ExtraPodSpec.MainContainer
}

// CommandOf a main container, as far as it does not depend on the framework: that of the user, otherwise the default. Empty: the entry point
// of the image, or the engine.
func CommandOf(s *v1alpha1.Service) []string {
	main := UserContainer(s)
	switch {
	case main.Command != nil:
		return main.Command
	case s.ComponentType == v1alpha1.ComponentEPP, RunsEntryPoint(s), NamesNoProgram(s):
		return nil
	case s.ComponentType == v1alpha1.ComponentFrontend, backend.BeginsWithModule(main.Args):
		return []string{"python3"}
	default:
		return []string{"/bin/sh", "-c"}
	}
}

func (b *Builder) defaultsOf(c component, container string) defaults {
	d := defaults{
		container:                     corev1.Container{Name: container, Command: []string{"/bin/sh", "-c"}},
		terminationGracePeriodSeconds: 60,
	}
	switch {
	case c.service.ComponentType == v1alpha1.ComponentFrontend:
		frontend(&d.container, c)
	case IsWorker(c.service.ComponentType):
		worker(&d.container, c)
		if generation := b.Plan.WorkerGeneration; generation != "" {
			d.container.Env = append(d.container.Env, corev1.EnvVar{Name: EnvWorkerSuffix, Value: generation})
		}
	case c.service.ComponentType == v1alpha1.ComponentPlanner:
		planner(&d.container, c)
		d.serviceAccountName = b.Graph.Names().Planner()
	case c.service.ComponentType == v1alpha1.ComponentEPP:
		b.endpointPicker(&d, c)
	}
	if UserContainer(c.service).Command == nil && !NamesNoProgram(c.service) {
		d.container.Command = CommandOf(c.service)
	}
	d.container.Env = append(d.container.Env, b.identityEnv(c, container)...)
	return d
}

func frontend(container *corev1.Container, c component) {
	container.Command, container.Args = []string{"python3"}, []string{"-m", "dynamo.frontend"}
	if len(UserContainer(c.service).Args) > 0 && NamesNoProgram(c.service) {
		container.Command, container.Args = []string{"python3", "-m", "dynamo.frontend"}, nil
	}
	container.Ports = []corev1.ContainerPort{port(PortHTTPName, PortHTTP)}
	container.LivenessProbe = httpProbe("/live", PortHTTPName, timing{delay: 15, period: 10, timeout: 1, failures: 3})
	container.ReadinessProbe = httpProbe("/health", PortHTTPName, timing{delay: 10, period: 10, timeout: 3, failures: 3})
	if c.decision.RuntimeVersion.Has(runtime.FrontendStartupProbe) {
		container.StartupProbe = httpProbe("/live", PortHTTPName, timing{period: 10, timeout: 1, failures: 30})
	}
	container.Env = []corev1.EnvVar{
		{Name: "DYNAMO_PORT", Value: strconv.Itoa(PortHTTP)},
		{Name: "DYN_HTTP_PORT", Value: strconv.Itoa(PortHTTP)},
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
	if framework := c.decision.Framework; framework != "" && NamesNoProgram(c.service) {
		container.Command = engine.Command(framework)
	}
	container.Ports = []corev1.ContainerPort{port(PortSystemName, c.systemPort), port(PortNIXLName, PortNIXL)}
	systemProbes(container)
	if c.decision.RuntimeVersion.Has(runtime.WorkerLiveness) {
		container.LivenessProbe.FailureThreshold = 3
	}
	container.Env = []corev1.EnvVar{
		{Name: envSystemEnabled, Value: "true"},
		{Name: "DYN_SYSTEM_USE_ENDPOINT_HEALTH_STATUS", Value: `["generate"]`},
		{Name: envSystemPort, Value: strconv.Itoa(PortSystem)},
		{Name: "DYN_HEALTH_CHECK_ENABLED", Value: strconv.FormatBool(c.decision.RuntimeVersion.Has(runtime.WorkerCanaries))},
		{Name: "NIXL_TELEMETRY_ENABLE", Value: "n"},
		{Name: "NIXL_TELEMETRY_EXPORTER", Value: "prometheus"},
		{Name: "NIXL_TELEMETRY_PROMETHEUS_PORT", Value: strconv.Itoa(PortNIXL)},
	}
	if c.decision.RuntimeVersion.Has(runtime.ForwardPassMetrics) {
		container.Env = append(container.Env, corev1.EnvVar{Name: forwardPassEnv, Value: strconv.Itoa(portForwardPass)})
	}
}

func planner(container *corev1.Container, c component) {
	container.Ports = []corev1.ContainerPort{port(portPlannerName, PortPlanner), port(PortSystemName, c.systemPort)}
	systemProbes(container)
	container.Env = []corev1.EnvVar{
		{Name: "PLANNER_PROMETHEUS_PORT", Value: strconv.Itoa(PortPlanner)},
		{Name: envSystemPort, Value: strconv.Itoa(PortSystem)},
	}
}

// systemProbes are the probes of a process with Dynamo's system server. An engine may take two hours to load its model.
func systemProbes(container *corev1.Container) {
	container.LivenessProbe = httpProbe("/live", PortSystemName, timing{period: 5, timeout: 4, failures: 1})
	container.ReadinessProbe = httpProbe("/health", PortSystemName, timing{period: 10, timeout: 4, failures: 3})
	container.StartupProbe = httpProbe("/live", PortSystemName, timing{period: 10, timeout: 5, failures: 720})
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

func httpProbe(path, portName string, t timing) *corev1.Probe {
	return t.probe(corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: path, Port: intstr.FromString(portName)}})
}

func port(name string, number int32) corev1.ContainerPort {
	return corev1.ContainerPort{Name: name, ContainerPort: number, Protocol: corev1.ProtocolTCP}
}
