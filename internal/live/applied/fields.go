package applied

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
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
	for key, nested := range owned.GetFields() {
		name, ok := strings.CutPrefix(key, prefixField)
		if !ok {
			continue
		}
		if field, ok := extract(value.GetFields()[name], nested.GetStructValue()); ok {
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
		nested, ok := elements.ownedOf(value)
		if !ok {
			continue
		}
		if item, ok := extract(value, nested); ok {
			out.Values = append(out.Values, item)
		}
	}
	return out
}

// elements of a list that a set of fields owns. They are found by what identifies them, because lists of users are long.
type elements struct {
	// keyed are the owned fields of elements that their keys identify, by the names of these keys, and then by their values.
	keyed []keyed
	// values are the elements of a set, which their values identify.
	values map[string]bool
}

// keyed elements of a list, whose keys have the same names. A list usually has elements of one kind, and ports have two.
type keyed struct {
	names []string
	owned map[string]*structpb.Struct
}

func elementsOf(owned *structpb.Struct) elements {
	out := elements{values: map[string]bool{}}
	for _, key := range slices.Sorted(maps.Keys(owned.GetFields())) {
		if text, ok := strings.CutPrefix(key, prefixKeys); ok {
			keys := &structpb.Struct{}
			if json.Unmarshal([]byte(text), keys) == nil {
				out.add(keys, owned.GetFields()[key].GetStructValue())
			}
		}
		if text, ok := strings.CutPrefix(key, prefixValue); ok {
			value := &structpb.Value{}
			if json.Unmarshal([]byte(text), value) == nil {
				out.values[identity(value)] = true
			}
		}
	}
	return out
}

func (e *elements) add(keys, owned *structpb.Struct) {
	names := slices.Sorted(maps.Keys(keys.GetFields()))
	i := slices.IndexFunc(e.keyed, func(k keyed) bool { return slices.Equal(k.names, names) })
	if i < 0 {
		i = len(e.keyed)
		e.keyed = append(e.keyed, keyed{names: names, owned: map[string]*structpb.Struct{}})
	}
	id, _ := e.keyed[i].identity(structpb.NewStructValue(keys))
	e.keyed[i].owned[id] = owned
}

// isEmpty reports whether the set of fields owns no elements.
func (e *elements) isEmpty() bool { return len(e.keyed) == 0 && len(e.values) == 0 }

// ownedOf a value of the list are its fields that are owned: without any, all are. ok is false if it is none of the elements.
func (e *elements) ownedOf(value *structpb.Value) (owned *structpb.Struct, ok bool) {
	for _, k := range e.keyed {
		if id, has := k.identity(value); has {
			if owned, ok := k.owned[id]; ok {
				return owned, true
			}
		}
	}
	return nil, len(e.values) > 0 && e.values[identity(value)]
}

// identity of an element are the values of its keys. ok is false if it lacks one.
func (k keyed) identity(element *structpb.Value) (id string, ok bool) {
	var all strings.Builder
	for _, name := range k.names {
		value := element.GetStructValue().GetFields()[name]
		if value == nil {
			return "", false
		}
		id := identity(value)
		all.WriteString(strconv.Itoa(len(id)))
		all.WriteByte(' ')
		all.WriteString(id)
	}
	return all.String(), true
}

// identity of a value. Encoding cannot fail for what has been decoded.
func identity(value *structpb.Value) string {
	encoded, _ := proto.MarshalOptions{Deterministic: true}.Marshal(value)
	return string(encoded)
}
