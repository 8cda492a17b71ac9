package pods

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// EndWarnings name ports that no object can lead to: an InferencePool has one port for all frontends beside workers, and the Service by which nodes
// join a Ray cluster has a number.
func EndWarnings(f *subject.Facts, p *graphplan.Plan) message.List {
	var warnings message.List
	beside := map[int32][]string{}
	for _, s := range f.Buildable.ComponentsByName() {
		if _, known := pod.RayPort(s); !known && pod.HasRayService(s, p) {
			warnings = append(warnings, message.About(graph.MainPath(graph.ComponentPath(s.Name), "args"), "the value of --port of ray start is not in the graph, so Service %s leads to port %d; write the port as value", f.Graph.Names().RayService(s.Name), backend.RayPort))
		}
		if sidecar, _ := pod.FrontendSidecar(s); p.Pool == nil || sidecar == nil || !s.IsWorker() {
			continue
		}
		for _, process := range processesOf(f, p, s) {
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
	return append(warnings, message.About(graph.ComponentsPath(), "frontends listen on port %s, but an InferencePool has one port, which is %d, so requests for the others fail; set --http-port of all of them to one port", strings.Join(sides, " and "), p.Pool.Port))
}
