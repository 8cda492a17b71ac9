package tree

import (
	"strconv"

	"google.golang.org/protobuf/types/known/structpb"
)

// Equal reports whether two objects are equal. A missing object and an object without fields are equal.
func Equal(a, b *structpb.Struct) bool {
	if a == b {
		return true
	}
	if len(a.GetFields()) != len(b.GetFields()) {
		return false
	}
	for key, value := range a.GetFields() {
		other, ok := b.GetFields()[key]
		if !ok || !EqualValues(value, other) {
			return false
		}
	}
	return true
}

// EqualValues reports whether two values are equal. A missing value is equal to null.
func EqualValues(a, b *structpb.Value) bool {
	if a == b {
		return true
	}
	switch a := a.GetKind().(type) {
	case *structpb.Value_StructValue:
		b, ok := b.GetKind().(*structpb.Value_StructValue)
		return ok && Equal(a.StructValue, b.StructValue)
	case *structpb.Value_ListValue:
		b, ok := b.GetKind().(*structpb.Value_ListValue)
		return ok && equalLists(a.ListValue.GetValues(), b.ListValue.GetValues())
	case *structpb.Value_StringValue:
		b, ok := b.GetKind().(*structpb.Value_StringValue)
		return ok && a.StringValue == b.StringValue
	case *structpb.Value_NumberValue:
		b, ok := b.GetKind().(*structpb.Value_NumberValue)
		return ok && a.NumberValue == b.NumberValue
	case *structpb.Value_BoolValue:
		b, ok := b.GetKind().(*structpb.Value_BoolValue)
		return ok && a.BoolValue == b.BoolValue
	default:
		return IsNull(b)
	}
}

func equalLists(a, b []*structpb.Value) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !EqualValues(a[i], b[i]) {
			return false
		}
	}
	return true
}

// IsNull reports whether a value is null or missing.
func IsNull(value *structpb.Value) bool {
	switch value.GetKind().(type) {
	case nil, *structpb.Value_NullValue:
		return true
	default:
		return false
	}
}

// Differences are the paths at which two objects differ, in no particular order. A subtree that only one of them has is one path. Elements
// of a list are identified by their index.
func Differences(a, b *structpb.Struct) []string {
	return differences(nil, "", structpb.NewStructValue(a), structpb.NewStructValue(b))
}

func differences(found []string, path string, a, b *structpb.Value) []string {
	if EqualValues(a, b) {
		return found
	}
	if a.GetStructValue() != nil && b.GetStructValue() != nil {
		for key, value := range a.GetStructValue().GetFields() {
			found = differences(found, pathBelow(path, key), value, b.GetStructValue().GetFields()[key])
		}
		for key := range b.GetStructValue().GetFields() {
			if _, both := a.GetStructValue().GetFields()[key]; !both {
				found = append(found, pathBelow(path, key))
			}
		}
		return found
	}
	if x, y := a.GetListValue().GetValues(), b.GetListValue().GetValues(); len(x) > 0 && len(x) == len(y) {
		for i := range x {
			found = differences(found, path+"["+strconv.Itoa(i)+"]", x[i], y[i])
		}
		return found
	}
	return append(found, path)
}

func pathBelow(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
