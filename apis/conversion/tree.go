package conversion

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"
)

// object is a JSON object.
type object = map[string]any

// clone an unstructured value. Values of other types are shared, so it cannot fail.
func clone(value any) any {
	switch value := value.(type) {
	case object:
		return cloneObject(value)
	case []any:
		list := make([]any, len(value))
		for i := range value {
			list[i] = clone(value[i])
		}
		return list
	default:
		return value
	}
}

// cloneObject returns a deep copy, which is never nil.
func cloneObject(o object) object {
	out := make(object, len(o))
	for key, value := range o {
		out[key] = clone(value)
	}
	return out
}

// has reports whether an object has a value other than null for a key.
func has(o object, key string) bool {
	return o[key] != nil
}

// objectAt returns the object at a path of keys, nil if there is none.
func objectAt(o object, path ...string) object {
	for _, key := range path {
		o, _ = o[key].(object)
	}
	return o
}

// child returns the object at a key, and creates it if there is none.
func child(o object, key string) object {
	if existing, ok := o[key].(object); ok && existing != nil {
		return existing
	}
	created := object{}
	o[key] = created
	return created
}

// items returns the list at a key.
func items(o object, key string) []any {
	list, _ := o[key].([]any)
	return list
}

func textAt(o object, key string) string {
	value, _ := o[key].(string)
	return value
}

// put a copy of a value at a key. Nil and empty lists are not set.
func put(o object, key string, value any) {
	if list, ok := value.([]any); value == nil || ok && len(list) == 0 {
		return
	}
	o[key] = clone(value)
}

// move a value to another object.
func move(from object, key string, to object, as string) {
	if has(from, key) {
		to[as] = from[key]
	}
	delete(from, key)
}

// without returns a shallow copy without some keys, which is never nil.
func without(o object, keys ...string) object {
	out := make(object, len(o))
	maps.Copy(out, o)
	for _, key := range keys {
		delete(out, key)
	}
	return out
}

// named returns the first object in a list with a name, and its index, or -1.
func named(list []any, name string) (object, int) {
	for i, item := range list {
		if o, ok := item.(object); ok && textAt(o, "name") == name {
			return o, i
		}
	}
	return nil, -1
}

// firstOfEachName of the objects in a list.
func firstOfEachName(list []any) map[string]object {
	out := make(map[string]object, len(list))
	for _, item := range list {
		o, ok := item.(object)
		if _, taken := out[textAt(o, "name")]; ok && !taken {
			out[textAt(o, "name")] = o
		}
	}
	return out
}

// names of the objects in a list.
func names(list []any) []string {
	out := make([]string, 0, len(list))
	for _, item := range list {
		o, _ := item.(object)
		out = append(out, textAt(o, "name"))
	}
	return out
}

// isBlank reports whether a value is empty, or only has empty fields.
func isBlank(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case string:
		return value == ""
	case []any:
		return len(value) == 0
	case object:
		for _, item := range value {
			if !isBlank(item) {
				return false
			}
		}
		return true
	default:
		return false
	}
}

// same reports whether two values are equal to Kubernetes, where empty and absent values are equal.
func same(a, b any) bool {
	if isBlank(a) || isBlank(b) {
		return isBlank(a) && isBlank(b)
	}
	switch a := a.(type) {
	case object:
		b, ok := b.(object)
		return ok && sameObjects(a, b)
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, same)
	default:
		return sameScalars(a, b)
	}
}

func sameObjects(a, b object) bool {
	for key := range a {
		if !same(a[key], b[key]) {
			return false
		}
	}
	for key := range b {
		if _, ok := a[key]; !ok && !isBlank(b[key]) {
			return false
		}
	}
	return true
}

// sameScalars compares numbers by value, because decoders differ in the types of numbers.
func sameScalars(a, b any) bool {
	if reflect.TypeOf(a) == reflect.TypeOf(b) && reflect.TypeOf(a).Comparable() {
		return a == b
	}
	_, aText := a.(string)
	_, bText := b.(string)
	return aText == bText && bytes.Equal(encoded(a), encoded(b))
}

// encoded returns the JSON of a value, nil if it has none.
func encoded(value any) []byte {
	data, err := json.Marshal(value)
	if err != nil {
		return nil
	}
	return data
}

// quantity returns the canonical form of a number or string, or false if it is not a quantity.
func quantity(value any) (string, bool) {
	written, ok := value.(string)
	if !ok {
		if _, isNumber := value.(bool); isNumber || isBlank(value) {
			return "", false
		}
		written = string(encoded(value))
	}
	parsed, err := resource.ParseQuantity(written)
	if err != nil {
		return "", false
	}
	return parsed.String(), true
}

// isZeroQuantity reports whether a quantity is absent or zero.
func isZeroQuantity(value any) bool {
	written, ok := quantity(value)
	return isBlank(value) || ok && written == "0"
}
