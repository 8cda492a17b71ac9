package pods

import (
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// ProbeWarnings name probes of users that ask a port at which the program of a component does not answer.
func ProbeWarnings(f *subject.Facts, p *graphplan.Plan, built pod.Pods) message.List {
	var warnings message.List
	for _, s := range f.Buildable.ComponentsByName() {
		asked := askedPorts(s)
		if len(asked) == 0 || !runsAlone(s, p.Components[s.Name].Framework) {
			continue
		}
		ports := listening(p, built, s)
		if slices.Contains(ports, 0) {
			continue // Where it listens is not in the graph.
		}
		for path, port := range asked {
			if !slices.Contains(ports, port) {
				warnings = append(warnings, message.About(path, "is %d, but the program listens on %s, so the probe fails; set it to a port on which the program listens, or declare port %[1]d in ports if it listens there too", port, texts(ports)))
			}
		}
	}
	return warnings.Sorted(f.Graph)
}

// askedPorts are the ports of the pod that probes of the main container have as numbers. Validation knows the names.
func askedPorts(s *graph.Component) map[*field.Path]int32 {
	asked := map[*field.Path]int32{}
	for _, probe := range s.Probes() {
		elsewhere := probe.HTTPGet != nil && probe.HTTPGet.Host != "" || probe.TCPSocket != nil && probe.TCPSocket.Host != ""
		if handler, port := probe.Asks(); port.IntVal != 0 && !elsewhere {
			asked[probe.Path.Child(handler, "port")] = port.IntVal
		}
	}
	return asked
}

// runsAlone reports whether nothing listens in a pod but programs of Dynamo: other containers and scripts may run anything.
func runsAlone(s *graph.Component, framework v1alpha1.BackendFramework) bool {
	main := s.Main()
	argv := slices.Concat(main.Command, main.Args)
	script, _ := backend.UnreadArguments(argv)
	known := len(s.Graph().CommandLines.Modules(argv)) == 1 || s.NamesNoProgram() && (s.Type == v1beta1.ComponentFrontend || s.IsWorker() && framework != "")
	others := slices.DeleteFunc(slices.Clone(s.Beside()), func(c corev1.Container) bool { return c.Name == s.FrontendSidecar })
	return known && script < 0 && len(others) == 0 && len(s.Pod().InitContainers) == 0
}

// texts of ports, for messages.
func texts(ports []int32) string {
	all := make([]string, 0, len(ports))
	for _, port := range ports {
		all = append(all, strconv.Itoa(int(port)))
	}
	return strings.Join(all, ", ")
}
