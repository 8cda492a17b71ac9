package validate

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
)

// misspelt warns of values of a component that are not restricted, and that are similar to a value with a meaning.
func (w *warnings) misspelt(path *field.Path, g *graph.Graph, s *graph.Component) {
	// Components with another type are refused.
	if near := nearType(s); near != "" && g.Form == graph.Services {
		w.add(path.Child("type"), "%q is not a known component type and gets no defaults; did you mean %q?", s.ComponentType, near)
	}
	if near := strict.Near(s.SubComponentType, []string{v1alpha1.SubComponentPrefill, v1alpha1.SubComponentDecode}); near != "" {
		w.add(path.Child("subComponentType"), "%q is not known to the planner; did you mean %q?", s.SubComponentType, near)
	}
	w.misspeltAnnotations(path.Child("annotations"), s.Annotations)
	w.misspeltAnnotations(graph.PodMetadataPath(path, "annotations"), s.PodMetadata().Annotations)
}

// nearType is the component type that a component probably has. Empty if its type is known, or one of its user.
func nearType(s *graph.Component) string {
	return strict.Near(s.ComponentType, knownTypes())
}

// misspeltAnnotations are similar to an annotation that the chain reads.
func (w *warnings) misspeltAnnotations(path *field.Path, annotations map[string]string) {
	if len(annotations) == 0 {
		return
	}
	known := map[string][]string{}
	for _, annotation := range metadata.UserAnnotations() {
		prefix, name, _ := strings.Cut(annotation, "/")
		known[prefix] = append(known[prefix], name)
	}
	for _, annotation := range slices.Sorted(maps.Keys(annotations)) {
		prefix, name, _ := strings.Cut(annotation, "/")
		if near := strict.Near(name, known[prefix]); near != "" {
			w.add(path.Key(annotation), "is not a known annotation; did you mean %q?", prefix+"/"+near)
		}
	}
}
