// Package releases decides which release of Dynamo each service runs, because pods have to fit the release in their image.
package releases

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
)

// Decide the version of each service. Services with the newest release have no entry.
func Decide(f *subject.Facts) (map[string]runtime.Version, subject.Outcome) {
	policy := input.RuntimePolicy(f.Input)
	versions := map[string]runtime.Version{}
	assumed := map[runtime.Version][]string{}
	for _, name := range f.Graph.ServiceNames() {
		service := f.Graph.Spec.Services[name]
		image := pod.UserContainer(&service).Image
		version, source := policy.Resolve(runtime.Component{
			Override: service.RuntimeVersionOverride, Image: image, Remembered: rememberedVersion(f.Observed, name, image),
		})
		if version != runtime.Newest {
			versions[name] = version
		}
		// A missing image is a separate warning.
		if source.IsAssumed() && image != "" {
			assumed[version] = append(assumed[version], name)
		}
	}
	var outcome subject.Outcome
	for _, version := range slices.Sorted(maps.Keys(assumed)) {
		outcome.Warn(field.NewPath("spec", "services"), fmt.Sprintf(
			"the image tags of %s contain no version, so Dynamo %s is assumed; set runtimeVersionOverride to the release in the image, or use an image whose tag is its release",
			strings.Join(assumed[version], ", "), version))
	}
	return versions, outcome
}

// rememberedVersion is the version in the status of a service whose pods run an image already. Empty: there is none.
func rememberedVersion(o *observed.State, service, image string) runtime.Version {
	for _, template := range o.Pods[names.Lower(service)] {
		if main := pod.MainOfPod(&template.Spec); main != nil && main.Image == image {
			// A version that another program wrote into the status may be anything.
			version, _ := runtime.Parse(o.Status.RuntimeVersion(service))
			return version
		}
	}
	return ""
}
