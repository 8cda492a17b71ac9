package schema

import (
	"maps"
	"slices"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Nulls are the paths of fields that are null and may not be. A request to create or to update an object may have them, because the API server
// leaves them out. A server-side apply may not: the object that it merges is only validated.
// https://github.com/kubernetes/kubernetes/blob/v1.36.0/staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go
func (v *Validator) Nulls(object *unstructured.Unstructured) []string {
	return nulls(object.Object, v.structural, nil)
}

// nulls below a path. Values without a schema may be null.
func nulls(value any, s *structuralschema.Structural, path *field.Path) []string {
	var found []string
	switch t := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(t)) {
			property, step := propertyOf(s, key), path.Child(key)
			if _, isDeclared := s.Properties[key]; !isDeclared {
				step = path.Key(key)
			}
			switch {
			case property == nil:
			case t[key] == nil && !property.Nullable && property.Default.Object == nil:
				found = append(found, step.String())
			default:
				found = append(found, nulls(t[key], property, step)...)
			}
		}
	case []any:
		for i := 0; i < len(t) && s.Items != nil; i++ {
			found = append(found, nulls(t[i], s.Items, path.Index(i))...)
		}
	}
	return found
}

// propertyOf an object. nil if it has no schema.
func propertyOf(s *structuralschema.Structural, key string) *structuralschema.Structural {
	if property, ok := s.Properties[key]; ok {
		return &property
	}
	if s.AdditionalProperties != nil {
		return s.AdditionalProperties.Structural
	}
	return nil
}
