package pipeline

import (
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// TestCopies compares copies of messages in which every field is set with clones, and checks that a change of the copy changes nothing else.
func TestCopies(t *testing.T) {
	req, rsp := &fnv1.RunFunctionRequest{}, &fnv1.RunFunctionResponse{}
	fill(req.ProtoReflect(), 0)
	fill(rsp.ProtoReflect(), 0)
	for name, tc := range map[string]struct{ original, copied, empty proto.Message }{
		"Request":  {req, copyOfRequest(req), copyOfRequest(&fnv1.RunFunctionRequest{})},
		"Response": {rsp, copyOfResponse(rsp), copyOfResponse(&fnv1.RunFunctionResponse{})},
	} {
		t.Run(name, func(t *testing.T) {
			before := proto.Clone(tc.original)
			if !proto.Equal(before, tc.copied) {
				t.Errorf("want %v\ngot %v", before, tc.copied)
			}
			if shared := sharedIn(messagesIn(tc.original.ProtoReflect()), tc.copied.ProtoReflect()); shared != "" {
				t.Errorf("the copy shares %s with the original", shared)
			}
			if proto.Size(tc.empty) > 0 {
				t.Errorf("want a copy of an empty message, got %v", tc.empty)
			}
		})
	}
}

// TestCopyOfValues compares values of all kinds, and those that are not set.
func TestCopyOfValues(t *testing.T) {
	original := structpb.NewListValue(&structpb.ListValue{Values: []*structpb.Value{
		structpb.NewStringValue("a"), structpb.NewNumberValue(1), structpb.NewBoolValue(true), structpb.NewNullValue(),
		{},
		structpb.NewListValue(&structpb.ListValue{}), structpb.NewStructValue(&structpb.Struct{}),
		structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{"b": structpb.NewBoolValue(false)}}),
	}})
	if got := copyOfValue(original); !proto.Equal(original, got) {
		t.Errorf("want %v, got %v", original, got)
	}
}

// fill sets every field of a message, down to a depth at which values end.
func fill(m protoreflect.Message, depth int) {
	const deepest = 9
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		field := fields.Get(i)
		switch {
		case depth > deepest && field.Message() != nil:
		case field.IsMap():
			value := m.Mutable(field).Map().NewValue()
			if field.MapValue().Message() != nil {
				fill(value.Message(), depth+1)
			} else {
				value = scalar(field.MapValue())
			}
			m.Mutable(field).Map().Set(protoreflect.ValueOfString("key").MapKey(), value)
		case field.IsList() && field.Message() != nil:
			fill(m.Mutable(field).List().AppendMutable().Message(), depth+1)
		case field.IsList():
			m.Mutable(field).List().Append(scalar(field))
		case field.Message() != nil:
			fill(m.Mutable(field).Message(), depth+1)
		default:
			m.Set(field, scalar(field))
		}
	}
}

// scalar value that is not the default.
func scalar(field protoreflect.FieldDescriptor) protoreflect.Value {
	switch field.Kind() {
	case protoreflect.StringKind:
		return protoreflect.ValueOfString("text")
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes([]byte("bytes"))
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(true)
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(field.Enum().Values().Get(field.Enum().Values().Len() - 1).Number())
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(1)
	case protoreflect.Int64Kind:
		return protoreflect.ValueOfInt64(1)
	default:
		return protoreflect.ValueOfInt32(1)
	}
}

// messagesIn a message, and itself.
func messagesIn(m protoreflect.Message) map[any]bool {
	all := map[any]bool{m.Interface(): true}
	visit(m, func(below protoreflect.Message) { all[below.Interface()] = true })
	return all
}

// sharedIn names a message below another one that is one of these. Empty: there is none.
func sharedIn(these map[any]bool, m protoreflect.Message) (name string) {
	visit(m, func(below protoreflect.Message) {
		if these[below.Interface()] {
			name = string(below.Descriptor().FullName())
		}
	})
	return name
}

// visit all messages below a message.
func visit(m protoreflect.Message, do func(protoreflect.Message)) {
	below := func(value protoreflect.Value) {
		do(value.Message())
		visit(value.Message(), do)
	}
	m.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		switch {
		case field.IsMap() && field.MapValue().Message() != nil:
			value.Map().Range(func(_ protoreflect.MapKey, value protoreflect.Value) bool {
				below(value)
				return true
			})
		case field.IsList() && field.Message() != nil:
			for i := range value.List().Len() {
				below(value.List().Get(i))
			}
		case !field.IsMap() && field.Message() != nil:
			below(value)
		}
		return true
	})
}

func BenchmarkCopy(b *testing.B) {
	fields := map[string]*structpb.Value{}
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		fields[name] = structpb.NewListValue(&structpb.ListValue{Values: []*structpb.Value{structpb.NewStringValue(name), structpb.NewNumberValue(1)}})
	}
	object := &fnv1.Resource{Resource: &structpb.Struct{Fields: map[string]*structpb.Value{
		"spec": structpb.NewStructValue(&structpb.Struct{Fields: fields}), "status": structpb.NewStructValue(&structpb.Struct{Fields: fields}),
	}}}
	req := &fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: object, Resources: map[string]*fnv1.Resource{"one": object, "other": object}}}
	b.Run("copy", func(b *testing.B) {
		for b.Loop() {
			copyOfRequest(req)
		}
	})
	b.Run("clone", func(b *testing.B) {
		for b.Loop() {
			proto.CloneOf(req)
		}
	})
}
