package guardrail

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
)

// A Value at a path of an object.
type Value struct {
	Path *field.Path

	// Value is a text, or true.
	Value any
}

// Values at a path of an object in the form of JSON, whose own path is at, in the order of the names of fields. Empty texts and false name
// nothing.
func (p Path) Values(path *field.Path, object map[string]any) []Value {
	return valuesAt(nil, path, object, p.Parts())
}

func valuesAt(found []Value, fieldPath *field.Path, value any, path []Part) []Value {
	if len(path) == 0 {
		if value != nil && value != "" && value != false {
			found = append(found, Value{Path: fieldPath, Value: value})
		}
		return found
	}
	object, ok := value.(map[string]any)
	if !ok {
		return found
	}
	next, rest := path[0], path[1:]
	value, fieldPath = object[next.Field], child(fieldPath, next.Field)
	switch {
	case next.Key != "":
		values, _ := value.(map[string]any)
		return valuesAt(found, fieldPath.Key(next.Key), values[next.Key], rest)
	case next.All:
		return valuesOfAll(found, fieldPath, next.Field, value, rest)
	default:
		return valuesAt(found, fieldPath, value, rest)
	}
}

// valuesOfAll elements of a list or a map. The main container goes by its name.
func valuesOfAll(found []Value, fieldPath *field.Path, name string, value any, path []Part) []Value {
	switch all := value.(type) {
	case []any:
		for i, element := range all {
			item := fieldPath.Index(i)
			if container, ok := element.(map[string]any); ok && name == "containers" && container["name"] == v1beta1.MainContainer {
				item = fieldPath.Key(v1beta1.MainContainer)
			}
			found = valuesAt(found, item, element, path)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(all)) {
			found = valuesAt(found, fieldPath.Key(key), all[key], path)
		}
	}
	return found
}

func child(path *field.Path, name string) *field.Path {
	if path == nil {
		return field.NewPath(name)
	}
	return path.Child(name)
}
