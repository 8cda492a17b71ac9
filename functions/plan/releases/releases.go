// Package releases decides which release of Dynamo each component runs, because pods have to fit the release in their image.
package releases

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
)

// Decide the version of each component. Services with the release that is assumed have no entry.
func Decide(f *subject.Facts) (map[string]runtime.Version, subject.Outcome) {
	policy := input.RuntimePolicy(f.Input)
	versions := map[string]runtime.Version{}
	unknown := map[assumption][]string{}
	var outcome subject.Outcome
	for _, component := range f.Graph.ComponentsByName() {
		image := pod.RuntimeOf(component).Image
		version, source := policy.Resolve(runtime.Component{
			Override: component.RuntimeVersionOverride, Image: image, Remembered: rememberedVersion(f.Observed, component.Name, image),
		})
		if component.HasRuntimeContainer() && !version.Has(runtime.RuntimeContainer) {
			version = runtime.RuntimeContainer.Since()
		}
		isPicker := component.IsNativeEPP() && !source.IsOfGraph()
		if isPicker && !version.Has(runtime.EPPNative) {
			version = runtime.EPPNative.Since()
		}
		if version != runtime.Assumed {
			versions[component.Name] = version
		}
		outcome.Add(checkPicker(f, component.Name, version, source))
		outcome.Add(checkRoles(f, component, version))
		// A missing image is a separate warning.
		if source.IsAssumed() && image != "" {
			a := assumption{version: version, project: runtime.OtherProject(image), fromContainer: component.HasRuntimeContainer(), fromPicker: isPicker}
			unknown[a] = append(unknown[a], fmt.Sprintf("%s (%s)", component.Name, shownTag(image)))
		}
	}
	for _, a := range slices.SortedFunc(maps.Keys(unknown), assumption.compare) {
		outcome.Warn(graph.ComponentsPath(), "%s", a.sentence(strings.Join(unknown[a], ", ")))
	}
	return versions, outcome
}

// Sidecars are the versions of frontend sidecars that differ from the versions of their components. An image that says nothing has the same.
func Sidecars(f *subject.Facts, versions map[string]runtime.Version) map[string]runtime.Version {
	policy := input.RuntimePolicy(f.Input)
	sidecars := map[string]runtime.Version{}
	for _, name := range f.Graph.ComponentNames() {
		sidecar, _ := pod.FrontendSidecar(f.Graph.Component(name))
		if sidecar == nil {
			continue
		}
		version, source := policy.Resolve(runtime.Component{Image: sidecar.Image})
		if source == runtime.FromImage && version.Compare(versions[name]) != 0 {
			sidecars[name] = version
		}
	}
	return sidecars
}

// assumption is a version that is assumed for images that do not say it.
type assumption struct {
	version runtime.Version

	// project whose release is in the tag instead. It is empty if there is no release in it.
	project string

	// fromContainer says that the version follows from a container that earlier pods do not have, and fromPicker that it follows from an Endpoint Picker
	// without a configuration.
	fromContainer, fromPicker bool
}

func (a assumption) compare(other assumption) int {
	return cmp.Or(a.version.Compare(other.version), cmp.Compare(a.project, other.project), cmp.Compare(a.why(), other.why()))
}

// why the version is assumed. A new graph has no pods yet, so it does not depend on whether the release is remembered.
func (a assumption) why() string {
	switch {
	case a.fromContainer:
		return "the first release that runs in init container " + pod.RuntimeContainerName
	case a.fromPicker && a.version == runtime.EPPNative.Since():
		return "the first release whose Endpoint Pickers have no eppConfig"
	case a.version != runtime.Assumed:
		return "as before for the same images"
	default:
		return "in whose pods newer images run too"
	}
}

// sentence says what the images of components are taken for, and why.
func (a assumption) sentence(components string) string {
	lack := "contain no release of Dynamo"
	if a.project != "" {
		lack = "are releases of " + a.project + ", not of Dynamo"
	}
	return fmt.Sprintf("the image tags of %s %s, so Dynamo %s is assumed, %s; set runtimeVersionOverride to the release in the image, or use an image whose tag is its release",
		components, lack, a.version, a.why())
}

// shownTag of an image, if it can be one. What stands after a colon in anything else may be a password.
func shownTag(image string) string {
	switch tag := runtime.Tag(image); {
	case tag == "":
		return "no tag"
	case !names.IsPlain(tag):
		return "no valid tag"
	default:
		return tag
	}
}

// rememberedVersion is the version in the status of a component whose pods run an image already. It is empty if there is none.
func rememberedVersion(o *observed.State, component, image string) runtime.Version {
	for _, template := range o.Pods[names.Lower(component)] {
		if c := pod.RuntimeOfPod(&template.Spec); c != nil && c.Image == image {
			// A version that another program wrote into the status may be anything.
			version, _ := runtime.Parse(o.Status.TextOf(component, "runtimeVersion"))
			return version
		}
	}
	return ""
}
