package components

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// VariableWarnings name environment variables that the release in an image has renamed, deprecated or removed. A release that is only assumed
// says nothing.
func VariableWarnings(f *subject.Facts, components map[string]graphplan.Component) message.List {
	var warnings message.List
	var order []string
	ofGraph := map[string][]string{}
	for _, name := range f.Graph.ComponentNames() {
		version, known := knownVersion(f, name)
		if !known {
			continue
		}
		old := func(env corev1.EnvVar) string {
			o, ok := runtime.OldVariableOf(env.Name, version, components[name].Framework)
			if !ok {
				return ""
			}
			return fmt.Sprintf("since Dynamo %s, variable %s %s; %s", o.In, env.Name, o.Change, o.Remedy)
		}
		for _, env := range pod.RuntimeOf(f.Graph.Component(name)).Env {
			if text := old(env); text != "" {
				warnings = append(warnings, message.About(graph.ComponentPath(name), "%s", text))
			}
		}
		for _, env := range f.Graph.Spec.Env {
			text := old(env)
			if text == "" {
				continue
			}
			if ofGraph[text] == nil {
				order = append(order, text)
			}
			ofGraph[text] = append(ofGraph[text], name)
		}
	}
	for _, text := range order {
		warnings = append(warnings, message.About(field.NewPath("spec", "env"), "for %s %s", strings.Join(ofGraph[text], ", "), text))
	}
	return warnings
}

// knownVersion is the release in the image of a component that runs Dynamo. known is false if it is only assumed.
func knownVersion(f *subject.Facts, name string) (version runtime.Version, known bool) {
	version, source := input.RuntimePolicy(f.Input).Resolve(runtime.Component{
		Override: f.Graph.Component(name).RuntimeVersionOverride, Image: pod.RuntimeOf(f.Graph.Component(name)).Image,
	})
	return version, !source.IsAssumed()
}
