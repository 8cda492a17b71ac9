package strict

import (
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
)

// The input is a tree of Go values or of protobuf values. The latter is what a function is called with; to make the former of
// it first would cost more than all the rest.

// plain is in as a Go value, where it is a protobuf value that is no object and no list.
func plain(in any) any {
	value, ok := in.(*structpb.Value)
	if !ok {
		return in
	}
	switch kind := value.GetKind().(type) {
	case *structpb.Value_StringValue:
		return kind.StringValue
	case *structpb.Value_NumberValue:
		return kind.NumberValue
	case *structpb.Value_BoolValue:
		return kind.BoolValue
	case *structpb.Value_StructValue:
		return kind.StructValue
	case *structpb.Value_ListValue:
		return kind.ListValue
	default:
		return nil
	}
}

// isAbsent reports whether a value counts as absent.
func isAbsent(in any) bool {
	value, ok := in.(*structpb.Value)
	if !ok {
		return in == nil
	}
	switch value.GetKind().(type) {
	case nil, *structpb.Value_NullValue:
		return true
	default:
		return false
	}
}

// A branch is an object of either tree.
type branch struct {
	tree   map[string]any
	fields map[string]*structpb.Value
}

func objectOf(in any) (branch, bool) {
	switch t := in.(type) {
	case map[string]any:
		return branch{tree: t}, true
	case *structpb.Struct:
		return branch{fields: t.GetFields()}, true
	default:
		return branch{}, false
	}
}

func (b branch) len() int { return len(b.tree) + len(b.fields) }

// valueOf is the value of a key; nil where it is absent or null.
func (b branch) valueOf(key string) any {
	if b.fields == nil {
		return b.tree[key]
	}
	if value := b.fields[key]; !isAbsent(value) {
		return value
	}
	return nil
}

// keys of the object, which are sorted on demand.
func (b branch) keys(into []string, sorted bool) []string {
	for key := range b.tree {
		into = append(into, key)
	}
	for key := range b.fields {
		into = append(into, key)
	}
	if sorted {
		slices.Sort(into)
	}
	return into
}

// A row is a list of either tree.
type row struct {
	items  []any
	values []*structpb.Value
}

func listOf(in any) (row, bool) {
	switch t := in.(type) {
	case []any:
		return row{items: t}, true
	case *structpb.ListValue:
		return row{values: t.GetValues()}, true
	default:
		return row{}, false
	}
}

func (r row) len() int { return len(r.items) + len(r.values) }

// entry is an entry; nil where it is null.
func (r row) entry(i int) any {
	if r.values == nil {
		return r.items[i]
	}
	if value := r.values[i]; !isAbsent(value) {
		return value
	}
	return nil
}
