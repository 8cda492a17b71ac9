package releases

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// PhaseWarnings name the workers of a graph for prefill and decode whose images are of different releases: no release promises that they work
// together. Releases that are only assumed do not count.
// https://github.com/ai-dynamo/dynamo/blob/main/docs/fern/pages/kubernetes/guides/rolling-updates.mdx
func PhaseWarnings(f *subject.Facts) message.List {
	policy := input.RuntimePolicy(f.Input)
	workers, phases := map[runtime.Version][]string{}, map[string]bool{}
	for _, component := range f.Graph.ComponentsByName() {
		phase := cmp.Or(component.SubComponentType, component.ComponentType)
		if phase != v1alpha1.ComponentPrefill && phase != v1alpha1.ComponentDecode {
			continue
		}
		version, source := policy.Resolve(releaseOf(component))
		if source.IsOfGraph() {
			workers[version], phases[phase] = append(workers[version], component.Name), true
		}
	}
	if len(workers) < 2 || len(phases) < 2 {
		return nil
	}
	var releases []string
	for _, version := range slices.SortedFunc(maps.Keys(workers), runtime.Version.Compare) {
		releases = append(releases, fmt.Sprintf("%s (%s)", version, strings.Join(workers[version], ", ")))
	}
	return message.List{message.About(graph.ComponentsPath(), "the workers for prefill and decode have Dynamo %s, and Dynamo does not promise that different releases work together; use images of one release for all of them", strings.Join(releases, " and "))}
}
