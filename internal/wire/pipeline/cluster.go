package pipeline

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// Objects are a cluster that contains only them.
type Objects []*unstructured.Unstructured

// Resources that selectors select, sorted by namespace and name.
func (objects Objects) Resources(selectors map[string]*fnv1.ResourceSelector) (map[string]*fnv1.Resources, error) {
	out := make(map[string]*fnv1.Resources, len(selectors))
	for name, s := range selectors {
		found, err := objects.selected(s)
		if err != nil {
			return nil, errors.Errorf("cannot resolve requirement %q: %w", name, err)
		}
		out[name] = found
	}
	return out, nil
}

// Schemas of kinds. A kind is served if there is an object of it. There is never an error.
func (objects Objects) Schemas(selectors map[string]*fnv1.SchemaSelector) (map[string]*fnv1.Schema, error) {
	out := make(map[string]*fnv1.Schema, len(selectors))
	for name, s := range selectors {
		out[name] = &fnv1.Schema{}
		served := func(o *unstructured.Unstructured) bool {
			return o.GetAPIVersion() == s.GetApiVersion() && o.GetKind() == s.GetKind()
		}
		if slices.ContainsFunc(objects, served) {
			out[name].OpenapiV3 = &structpb.Struct{Fields: map[string]*structpb.Value{"type": structpb.NewStringValue("object")}}
		}
	}
	return out, nil
}

func (objects Objects) selected(s *fnv1.ResourceSelector) (*fnv1.Resources, error) {
	var matching []*unstructured.Unstructured
	for _, o := range objects {
		if Selects(s, o) {
			matching = append(matching, o)
		}
	}
	slices.SortStableFunc(matching, func(a, b *unstructured.Unstructured) int {
		return strings.Compare(a.GetNamespace()+"/"+a.GetName(), b.GetNamespace()+"/"+b.GetName())
	})

	out := &fnv1.Resources{}
	for _, o := range matching {
		data, err := structpb.NewStruct(o.Object)
		if err != nil {
			return nil, errors.Errorf("cannot encode %s %q: %w", o.GetKind(), o.GetName(), err)
		}
		out.Items = append(out.Items, &fnv1.Resource{Resource: data})
	}
	return out, nil
}

// Selects reports whether a selector selects an object. By name, it selects one object, whose namespace must be that of the selector. By
// labels, or by neither, it selects the objects of its namespace, or of all namespaces if it has none.
func Selects(s *fnv1.ResourceSelector, o *unstructured.Unstructured) bool {
	if s.GetApiVersion() != o.GetAPIVersion() || s.GetKind() != o.GetKind() {
		return false
	}
	switch match := s.GetMatch().(type) {
	case *fnv1.ResourceSelector_MatchName:
		return match.MatchName == o.GetName() && s.GetNamespace() == o.GetNamespace()
	case *fnv1.ResourceSelector_MatchLabels:
		if !labels.SelectorFromSet(match.MatchLabels.GetLabels()).Matches(labels.Set(o.GetLabels())) {
			return false
		}
	}
	return s.GetNamespace() == "" || s.GetNamespace() == o.GetNamespace()
}
