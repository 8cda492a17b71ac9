// Package tree reads and edits objects in the form in which Crossplane sends them: as trees of JSON.
package tree

import (
	"maps"

	"google.golang.org/protobuf/types/known/structpb"
)

// At returns the object at a path of keys. nil if there is none.
func At(object *structpb.Struct, path ...string) *structpb.Struct {
	for _, key := range path {
		object = object.GetFields()[key].GetStructValue()
	}
	return object
}

// Text returns the text of a key in the object at a path. It is empty if there is none.
func Text(object *structpb.Struct, key string, path ...string) string {
	return At(object, path...).GetFields()[key].GetStringValue()
}

// Name of a Kubernetes object. Empty if it has none.
func Name(object *structpb.Struct) string { return Text(object, "name", "metadata") }

// With returns a copy of an object with another value for a key in the object at a path. If the value is nil, the key is removed, and then
// each object on the path that is empty. The copy shares everything else with the object, which does not change.
func With(object *structpb.Struct, value *structpb.Value, key string, path ...string) *structpb.Struct {
	if len(path) > 0 {
		changed := With(object.GetFields()[path[0]].GetStructValue(), value, key, path[1:]...)
		key, value = path[0], structpb.NewStructValue(changed)
		if len(changed.GetFields()) == 0 {
			value = nil
		}
	}
	fields := maps.Clone(object.GetFields())
	switch {
	case value == nil:
		delete(fields, key)
	case fields == nil:
		fields = map[string]*structpb.Value{key: value}
	default:
		fields[key] = value
	}
	return &structpb.Struct{Fields: fields}
}

// WithText is With for a text. If the text is empty, the key is removed.
func WithText(object *structpb.Struct, text, key string, path ...string) *structpb.Struct {
	if text == "" {
		return With(object, nil, key, path...)
	}
	return With(object, structpb.NewStringValue(text), key, path...)
}
