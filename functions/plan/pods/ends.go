package pods

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// EndWarnings name ports that no object can lead to: an InferencePool has one port for all frontends beside workers, the Service of a model has one for
// all of its components, and the Service by which nodes join a Ray cluster has a number.
func EndWarnings(f *subject.Facts, p *graphplan.Plan, built pod.Pods) message.List {
	var warnings message.List
	beside := map[int32][]string{}
	for _, s := range f.Buildable.ComponentsByName() {
		if _, known := pod.RayPort(s); !known && pod.HasRayService(s, p) {
			warnings = append(warnings, message.About(graph.MainPath(graph.ComponentPath(s.Name), "args"), "the value of --port of ray start is not in the graph, so Service %s leads to port %d; write the port as value", f.Graph.Names().RayService(s.Name), backend.RayPort))
		}
		if own := p.Components[s.Name].Endpoints; own.Port.Type == intstr.Int && hasOtherPort(p, s, own.Number) {
			warnings = append(warnings, message.About(graph.MainPath(graph.ComponentPath(s.Name), "ports"), "do not name port %d, on which the program listens, but the Service of model %s can only lead to different ports of its {{components}} by their name; declare port %s with this number", own.Number, s.ModelRef.Name, pod.PortSystemName))
		}
		if sidecar, _ := pod.FrontendSidecar(s); p.Pool == nil || sidecar == nil || !s.IsWorker() {
			continue
		}
		for _, process := range processesOf(p, built, s) {
			if number := process.Serves.Number; process.Sidecar && process.Registers && !slices.Contains(beside[number], s.Name) {
				beside[number] = append(beside[number], s.Name)
			}
		}
	}
	if len(beside) < 2 {
		return warnings
	}
	var sides []string
	for _, number := range slices.Sorted(maps.Keys(beside)) {
		sides = append(sides, fmt.Sprintf("%d beside %s", number, strings.Join(beside[number], ", ")))
	}
	return append(warnings, message.About(graph.ComponentsPath(), "frontends listen on port %s, but an InferencePool has one port, which is %d, so requests for the other frontends fail; set --http-port of all frontends to one port", strings.Join(sides, " and "), p.Pool.Port))
}

// hasOtherPort reports whether another component of the model of one listens on another port.
func hasOtherPort(p *graphplan.Plan, s *graph.Component, number int32) bool {
	return s.ModelRef != nil && slices.ContainsFunc(s.Graph().ComponentsByName(), func(other *graph.Component) bool {
		return other.ModelRef != nil && other.ModelRef.Name == s.ModelRef.Name && p.Components[other.Name].Endpoints.Number != number
	})
}
