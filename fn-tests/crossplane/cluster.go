package crossplane

import (
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// world is what Crossplane can look up.
type world []*unstructured.Unstructured

// required resources that selectors select. What is not there gets an entry without items.
func (w world) required(selectors map[string]*fnv1.ResourceSelector) (map[string]*fnv1.Resources, error) {
	out := make(map[string]*fnv1.Resources, len(selectors))
	for name, selector := range selectors {
		found := &fnv1.Resources{}
		for _, object := range w {
			if !selects(selector, object) {
				continue
			}
			content, err := structpb.NewStruct(object.Object)
			if err != nil {
				return nil, cannotEncode(object, err)
			}
			found.Items = append(found.Items, &fnv1.Resource{Resource: content})
		}
		out[name] = found
	}
	return out, nil
}

// schemas of kinds: that of a kind which is not served is empty. One object of a kind says that it is served.
func (w world) schemas(selectors map[string]*fnv1.SchemaSelector) map[string]*fnv1.Schema {
	out := make(map[string]*fnv1.Schema, len(selectors))
	for name, selector := range selectors {
		out[name] = &fnv1.Schema{}
		served := func(o *unstructured.Unstructured) bool {
			return o.GetAPIVersion() == selector.GetApiVersion() && o.GetKind() == selector.GetKind()
		}
		if slices.ContainsFunc(w, served) {
			out[name].OpenapiV3 = &structpb.Struct{Fields: map[string]*structpb.Value{"type": structpb.NewStringValue("object")}}
		}
	}
	return out
}

func selects(s *fnv1.ResourceSelector, o *unstructured.Unstructured) bool {
	if s.GetApiVersion() != o.GetAPIVersion() || s.GetKind() != o.GetKind() {
		return false
	}
	if name, ok := s.GetMatch().(*fnv1.ResourceSelector_MatchName); ok {
		return name.MatchName == o.GetName() && s.GetNamespace() == o.GetNamespace()
	}
	if s.GetNamespace() != "" && s.GetNamespace() != o.GetNamespace() {
		return false
	}
	return labels.SelectorFromSet(s.GetMatchLabels().GetLabels()).Matches(labels.Set(o.GetLabels()))
}

// sortedKeys of a map, for an order that is the same in every run.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
