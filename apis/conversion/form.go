package conversion

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A form that a graph is written in.
type form struct {
	version string
	// list is the field of the spec that holds the components.
	list string
}

// alpha is the form of v1alpha1.
func alpha() form { return form{version: V1alpha1, list: "services"} }

// beta is the form of v1beta1.
func beta() form { return form{version: V1beta1, list: "components"} }

func (f form) other() form {
	if f == alpha() {
		return beta()
	}
	return alpha()
}

// formOf a graph is determined by its fields, and only without services and components by its version: an API server that does not convert
// returns graphs of either form in both versions.
func formOf(graph object) form {
	spec := objectAt(graph, "spec")
	_, isAlpha := spec[alpha().list].(object)
	_, isBeta := spec[beta().list].([]any)
	switch {
	case isAlpha && !isBeta:
		return alpha()
	case isBeta && !isAlpha:
		return beta()
	case textAt(graph, "apiVersion") == V1beta1:
		return beta()
	default:
		return alpha()
	}
}

// path of a component.
func (f form) path(name string) *field.Path {
	return field.NewPath("spec", f.list).Key(name)
}

// components of a spec by name, and their names in order. It returns false if two of them have the same name, or one is not an object.
func (f form) components(spec object) (byName map[string]any, order []string, ok bool) {
	if f == alpha() {
		services, isMap := spec[f.list].(object)
		for _, service := range services {
			if _, isObject := service.(object); service != nil && !isObject {
				return services, nil, false
			}
		}
		return services, slices.Sorted(maps.Keys(services)), isMap || !has(spec, f.list)
	}
	list, isList := spec[f.list].([]any)
	byName = make(map[string]any, len(list))
	ok = isList || !has(spec, f.list)
	for _, item := range list {
		component, isObject := item.(object)
		name, isText := component["name"].(string)
		if _, twice := byName[name]; !isObject || !isText || twice {
			ok = false
			continue
		}
		byName[name] = component
		order = append(order, name)
	}
	return byName, order, ok
}
