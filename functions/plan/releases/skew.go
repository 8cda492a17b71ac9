package releases

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// supportedSkew is how many minor releases a frontend may be away from the workers that it calls, in either direction.
// https://github.com/ai-dynamo/dynamo/blob/main/docs/fern/pages/kubernetes/guides/rolling-updates.mdx
const supportedSkew = 2

// SkewWarnings name the frontends, also those beside workers, that are further away from workers than Dynamo supports. Releases that are only
// assumed do not count.
func SkewWarnings(f *subject.Facts) message.List {
	var warnings message.List
	policy := input.RuntimePolicy(f.Input)
	warn := func(path *field.Path, frontend runtime.Component) {
		version, source := policy.Resolve(frontend)
		if !source.IsOfGraph() {
			return
		}
		if far := workersFarFrom(f, version); len(far) > 0 {
			warnings = append(warnings, message.About(path, "the frontend has Dynamo %s, and workers that are more than %d minor releases older or newer may not understand it: %s; use images of releases that are closer to each other", version, supportedSkew, strings.Join(far, ", ")))
		}
	}
	for _, component := range f.Graph.ComponentsByName() {
		path := graph.ComponentPath(component.Name)
		if component.Type == v1beta1.ComponentFrontend {
			warn(path, releaseOf(component))
		}
		if sidecar, _ := pod.FrontendSidecar(component); sidecar != nil {
			warn(path.Child("frontendSidecar"), runtime.Component{Image: sidecar.Image})
		}
	}
	return warnings
}

// workersFarFrom a release, with their own.
func workersFarFrom(f *subject.Facts, frontend runtime.Version) []string {
	var far []string
	for _, component := range f.Graph.ComponentsByName() {
		version, source := input.RuntimePolicy(f.Input).Resolve(releaseOf(component))
		if component.IsWorker() && source.IsOfGraph() && version.ReleasesApart(frontend) > supportedSkew {
			far = append(far, fmt.Sprintf("%s (%s)", component.Name, version))
		}
	}
	return far
}

// releaseOf a component is what its user says about it.
func releaseOf(s *graph.Component) runtime.Component {
	return runtime.Component{Override: s.RuntimeVersionOverride, Image: pod.RuntimeOf(s).Image}
}
