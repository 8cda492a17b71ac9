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
func (p Path) Values(at *field.Path, object map[string]any) []Value {
	return valuesAt(nil, at, object, p.Parts())
}

func valuesAt(found []Value, at *field.Path, value any, path []Part) []Value {
	if len(path) == 0 {
		if value != nil && value != "" && value != false {
			found = append(found, Value{Path: at, Value: value})
		}
		return found
	}
	object, ok := value.(map[string]any)
	if !ok {
		return found
	}
	next, rest := path[0], path[1:]
	value, at = object[next.Field], child(at, next.Field)
	switch {
	case next.Key != "":
		values, _ := value.(map[string]any)
		return valuesAt(found, at.Key(next.Key), values[next.Key], rest)
	case next.All:
		return valuesOfAll(found, at, next.Field, value, rest)
	default:
		return valuesAt(found, at, value, rest)
	}
}

// valuesOfAll elements of a list or a map. The main container goes by its name.
func valuesOfAll(found []Value, at *field.Path, name string, value any, path []Part) []Value {
	switch all := value.(type) {
	case []any:
		for i, element := range all {
			item := at.Index(i)
			if container, ok := element.(map[string]any); ok && name == "containers" && container["name"] == v1beta1.MainContainer {
				item = at.Key(v1beta1.MainContainer)
			}
			found = valuesAt(found, item, element, path)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(all)) {
			found = valuesAt(found, at.Key(key), all[key], path)
		}
	}
	return found
}

func child(at *field.Path, name string) *field.Path {
	if at == nil {
		return field.NewPath(name)
	}
	return at.Child(name)
}
