package validate

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
)

// typeLPX is the type of components on LPUs.
const typeLPX = "lpx"

// componentType checks the type, which is any text for a service of v1alpha1.
func (v *validator) componentType(path *field.Path, s *graph.Component) {
	if v.graph.Form != graph.Components || s.Type == "" {
		return
	}
	if s.Type == typeLPX {
		v.forbidden(path.Child("type"), "is not supported: %s", graph.UnsupportedLPX)
		return
	}
	v.oneOf(path.Child("type"), s.ComponentType, knownTypes()...)
}

// knownTypes are those by which pods get defaults.
func knownTypes() []string {
	return []string{
		v1alpha1.ComponentDecode, v1alpha1.ComponentEPP, v1alpha1.ComponentFrontend, v1alpha1.ComponentPlanner, v1alpha1.ComponentPrefill, v1alpha1.ComponentWorker,
	}
}

// ignoredMetadata warns of metadata that only components have, and that has no effect.
func (w *warnings) ignoredMetadata(path *field.Path, c *graph.Component) {
	for _, name := range c.Ignored {
		w.add(path.Child("podTemplate", "metadata", name), "has no effect on pods; remove it")
	}
}
