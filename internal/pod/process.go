package pod

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

// Process is a program of Dynamo in a pod, as far as others depend on it. It is read from the pod, whether that is to be built or runs: what it
// runs is what is wired. Services, pools and warnings rely on it, and on nothing else about the pod.
type Process struct {
	// Container that runs it.
	Container *corev1.Container

	// Sidecar says that it is a frontend beside a worker.
	Sidecar bool

	// Serves is the port on which it is reached: that of the HTTP server of a frontend, of an Endpoint Picker, or else of the system server.
	Serves backend.Port

	// Target of a Service that reaches it: the name of the port if the container declares it, otherwise the number.
	Target intstr.IntOrString

	// Registers says that it is an instance that gets requests.
	Registers bool

	// Ports on which it listens, as far as it is told.
	Ports []backend.Port
}

// serving is the purpose, the name and the default of the port by which a component of a type is reached.
func serving(t v1beta1.ComponentType) (backend.Purpose, corev1.ContainerPort) {
	switch t {
	case v1beta1.ComponentFrontend:
		return backend.HTTP, port(PortHTTPName, PortHTTP)
	case v1beta1.ComponentEPP:
		return backend.Picks, port(PortEPPName, PortEPP)
	default:
		return backend.System, port(PortSystemName, PortSystem)
	}
}

// ProcessesOf a pod of a component with a framework: the program of the component first, then its frontend sidecar.
func ProcessesOf(s *graph.Component, f v1alpha1.BackendFramework, template *corev1.PodTemplateSpec) []Process {
	texts := s.Graph().CommandLines
	main := RuntimeOfPod(&template.Spec)
	if main == nil {
		return nil
	}
	purpose, standard := serving(s.Type)
	process := processOf(texts, main, purpose, standard)
	role := backend.RoleMain
	if s.HasLeader() {
		role = backend.Role(template.Labels[metadata.LabelRole])
	}
	process.Registers = texts.Registers(main, f, role)
	if s.Type == v1beta1.ComponentEPP || IsInRuntimeContainer(&template.Spec) {
		// The picker's Service has a number, as with the operator. Not every version of Kubernetes finds the port of an init container by its name.
		process.Target = intstr.FromInt32(process.Serves.Number)
	}
	all := []Process{process}
	if sidecar, _ := FrontendSidecar(s); sidecar != nil {
		if i := slices.IndexFunc(template.Spec.Containers, func(c corev1.Container) bool { return c.Name == sidecar.Name }); i >= 0 {
			beside := processOf(texts, &template.Spec.Containers[i], backend.HTTP, port(PortHTTPName, PortHTTP))
			beside.Sidecar, beside.Registers = true, process.Registers
			all = append(all, beside)
		}
	}
	return all
}

func processOf(texts *backend.Texts, c *corev1.Container, purpose backend.Purpose, standard corev1.ContainerPort) Process {
	process := Process{Container: c, Serves: listensOn(texts, c, purpose, standard)}
	standard.ContainerPort = process.Serves.Number
	process.Target = named(standard, c.Ports)
	for _, other := range backend.Purposes() {
		if port, given := texts.PortFor(other, c); given && (other != backend.Telemetry || texts.Exports(c)) {
			process.Ports = append(process.Ports, port)
		}
	}
	return process
}

// listensOn is where a container listens for a purpose: what its command or a variable says, otherwise the number that its user declares under
// the standard name, otherwise the standard number. Its place is empty if nothing in the graph says it.
func listensOn(texts *backend.Texts, c *corev1.Container, purpose backend.Purpose, standard corev1.ContainerPort) backend.Port {
	told, _ := texts.PortFor(purpose, c)
	if told.Number != 0 {
		return told
	}
	told.Purpose, told.Number = purpose, standard.ContainerPort
	for _, declared := range c.Ports {
		if declared.Name == standard.Name {
			told.Number = declared.ContainerPort
		}
	}
	return told
}

// Told is where the user tells the program of a component, or its frontend sidecar, to listen for what it serves. standard is what is otherwise
// the case. false: nothing tells it.
func Told(s *graph.Component, sidecar bool) (told backend.Port, standard corev1.ContainerPort, given bool) {
	c := program(s, sidecar)
	purpose, standard := serving(c.spec.Type)
	own := c.own()
	told, given = s.Graph().CommandLines.PortFor(purpose, &own)
	return told, standard, given
}

// program of a component, or its frontend sidecar.
func program(s *graph.Component, sidecar bool) component {
	c := component{spec: s, graphEnv: s.Graph().Spec.Env}
	if user, _ := FrontendSidecar(s); sidecar && user != nil {
		c.spec, c.graphEnv = s.AsFrontend(user), SidecarEnv(c.graphEnv)
	}
	return c
}

// listens is where the program of a component listens for a purpose, as far as its user decides it. The defaults of its pods follow.
func (c component) listens(purpose backend.Purpose, standard corev1.ContainerPort) corev1.ContainerPort {
	own := c.own()
	standard.ContainerPort = listensOn(c.texts, &own, purpose, standard).Number
	return standard
}

// own is the container of a component that runs Dynamo, with what the user sets for it.
func (c component) own() corev1.Container {
	own := RuntimeOf(c.spec)
	if !c.spec.HasRuntimeContainer() {
		own.Command = c.spec.Command()
	}
	own.Env = slices.Concat(c.graphEnv, own.Env)
	return own
}

// Own is the container of a component that runs Dynamo, or its frontend sidecar, with what the user sets for it and for the graph.
func Own(s *graph.Component, sidecar bool) corev1.Container {
	return program(s, sidecar).own()
}
