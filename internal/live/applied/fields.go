package applied

import (
	"encoding/json"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
)

// Prefixes of the keys of a set of fields: a field of an object, an element of a list by its keys, and an element of a set by its value. A
// dot is the object or the element itself, which exists if any of its fields does.
// https://pkg.go.dev/k8s.io/apimachinery/pkg/apis/meta/v1#FieldsV1
const (
	prefixField = "f:"
	prefixKeys  = "k:"
	prefixValue = "v:"
)

// extract the part of a value that a set of fields owns. It returns false if the value does not have it. An empty set owns the whole value.
// The extracted value shares memory with the value.
func extract(value *structpb.Value, owned *structpb.Struct) (*structpb.Value, bool) {
	if value == nil {
		return nil, false
	}
	if len(owned.GetFields()) == 0 {
		return value, true
	}
	switch value.GetKind().(type) {
	case *structpb.Value_StructValue:
		return structpb.NewStructValue(extractFields(value.GetStructValue(), owned)), true
	case *structpb.Value_ListValue:
		return structpb.NewListValue(extractElements(value.GetListValue(), owned)), true
	default:
		return value, true
	}
}

func extractFields(value, owned *structpb.Struct) *structpb.Struct {
	out := &structpb.Struct{Fields: map[string]*structpb.Value{}}
	for key, below := range owned.GetFields() {
		name, ok := strings.CutPrefix(key, prefixField)
		if !ok {
			continue
		}
		if field, ok := extract(value.GetFields()[name], below.GetStructValue()); ok {
			out.Fields[name] = field
		}
	}
	return out
}

// extractElements in the order of the list.
func extractElements(list *structpb.ListValue, owned *structpb.Struct) *structpb.ListValue {
	out := &structpb.ListValue{}
	elements := elementsOf(owned)
	for _, value := range list.GetValues() {
		for _, e := range elements {
			if !e.is(value) {
				continue
			}
			if item, ok := extract(value, e.owned); ok {
				out.Values = append(out.Values, item)
			}
			break
		}
	}
	return out
}

// element of a list that a set of fields owns.
type element struct {
	// keys that identify the element. nil if its value identifies it.
	keys map[string]*structpb.Value
	// value of an element of a set.
	value *structpb.Value
	// owned fields of the element. Empty: all.
	owned *structpb.Struct
}

func elementsOf(owned *structpb.Struct) []element {
	var out []element
	for key, below := range owned.GetFields() {
		if text, ok := strings.CutPrefix(key, prefixKeys); ok {
			keys := &structpb.Struct{}
			if json.Unmarshal([]byte(text), keys) == nil {
				out = append(out, element{keys: keys.GetFields(), owned: below.GetStructValue()})
			}
		}
		if text, ok := strings.CutPrefix(key, prefixValue); ok {
			value := &structpb.Value{}
			if json.Unmarshal([]byte(text), value) == nil {
				out = append(out, element{value: value})
			}
		}
	}
	return out
}

func (e *element) is(value *structpb.Value) bool {
	if e.keys == nil {
		return proto.Equal(e.value, value)
	}
	for key, want := range e.keys {
		if !proto.Equal(want, value.GetStructValue().GetFields()[key]) {
			return false
		}
	}
	return true
}
