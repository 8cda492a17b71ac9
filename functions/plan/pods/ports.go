package pods

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// PortWarnings name ports on which two containers of a pod listen. They share one network, so one of them cannot. Kubernetes accepts such a pod, unless
// it uses the network of its node.
func PortWarnings(f *subject.Facts, p *graphplan.Plan, built pod.Pods) message.List {
	var warnings message.List
	for _, s := range f.Buildable.ComponentsByName() {
		var pairs []listeners
		for _, seen := range written(f, built, s) {
			pairs = append(pairs, samePorts(s, p, &seen.Template)...)
		}
		consequence := "one of them fails"
		if s.Pod().HostNetwork {
			consequence = "one of them fails, and Kubernetes creates no pod if both declare the port"
		}
		for i, pair := range pairs {
			if slices.Contains(pairs[:i], pair) {
				continue
			}
			path := cmp.Or(pair.second.path(s), pair.first.path(s), graph.MainPath(graph.ComponentPath(s.Name), "ports"))
			warnings = append(warnings, message.About(path, "containers %s and %s both listen on port %d, but the containers of a pod share one network, so %s; let one of them listen on another port",
				pair.first.container, pair.second.container, pair.first.number, consequence))
		}
	}
	return warnings
}

// listener is a port of a container.
type listener struct {
	container string
	number    int32
	protocol  corev1.Protocol
}

// path of the port where the user declares it. nil: the user does not.
func (l listener) path(s *graph.Component) *field.Path {
	for path, c := range containersOf(s) {
		i := slices.IndexFunc(c.Ports, func(p corev1.ContainerPort) bool { return p.ContainerPort == l.number })
		if i >= 0 && c.Name == l.container {
			return path.Child("ports").Index(i).Child("containerPort")
		}
	}
	return nil
}

type listeners struct{ first, second listener }

// samePorts of different containers of a pod, each once. Engines that take over from each other have ports of their own.
func samePorts(s *graph.Component, p *graphplan.Plan, template *corev1.PodTemplateSpec) []listeners {
	if len(together(&template.Spec)) < 2 {
		return nil
	}
	var pairs []listeners
	first := map[listener]listener{}
	for _, l := range listenersOf(s, p, template) {
		key := listener{number: l.number, protocol: l.protocol}
		switch other, taken := first[key]; {
		case !taken:
			first[key] = l
		case other.container != l.container && !isMain(s, other.container, l.container) && !slices.Contains(pairs, listeners{other, l}):
			pairs = append(pairs, listeners{other, l})
		}
	}
	return pairs
}

// isMain reports whether all of these containers run the program of the component.
func isMain(s *graph.Component, containers ...string) bool {
	main := pod.MainContainers(s)
	return !slices.ContainsFunc(containers, func(name string) bool { return !slices.Contains(main, name) })
}

// listenersOf a pod: what its containers declare, and where their programs are told to listen.
func listenersOf(s *graph.Component, p *graphplan.Plan, template *corev1.PodTemplateSpec) []listener {
	var all []listener
	for _, process := range pod.ProcessesOf(s, p.Components[s.Name].Framework, template) {
		if len(s.Graph().CommandLines.Modules(slices.Concat(process.Container.Command, process.Container.Args))) == 0 {
			continue // A variable tells nothing to a program that is not of Dynamo.
		}
		for _, port := range process.Ports {
			// A variable of the graph reaches programs that do not read it.
			if port.Purpose == process.Serves.Purpose || !strings.HasPrefix(port.Place, "variable ") {
				all = append(all, listener{process.Container.Name, port.Number, corev1.ProtocolTCP})
			}
		}
	}
	for _, c := range together(&template.Spec) {
		for _, port := range c.Ports {
			all = append(all, listener{c.Name, port.ContainerPort, cmp.Or(port.Protocol, corev1.ProtocolTCP)})
		}
	}
	return slices.DeleteFunc(all, func(l listener) bool { return l.number == 0 })
}
