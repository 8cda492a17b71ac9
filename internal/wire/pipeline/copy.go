package pipeline

import (
	"slices"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// copyOfRequest is proto.CloneOf in a third of the time. Nearly all of a request are objects, whose fields need no reflection.
func copyOfRequest(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionRequest {
	out := &fnv1.RunFunctionRequest{}
	cloneExcept(out, req, "observed", "desired", "context", "required_resources")
	out.Observed, out.Desired = copyOfState(req.GetObserved()), copyOfState(req.GetDesired())
	out.Context = copyOfStruct(req.GetContext())
	out.RequiredResources = copyOfMap(req.GetRequiredResources(), copyOfResources)
	return out
}

// copyOfResponse is proto.CloneOf, too.
func copyOfResponse(rsp *fnv1.RunFunctionResponse) *fnv1.RunFunctionResponse {
	out := &fnv1.RunFunctionResponse{}
	cloneExcept(out, rsp, "desired", "context")
	out.Desired, out.Context = copyOfState(rsp.GetDesired()), copyOfStruct(rsp.GetContext())
	return out
}

// cloneExcept sets the fields of an empty message to clones of those of another one, except for some by name.
func cloneExcept(to, from proto.Message, fields ...protoreflect.Name) {
	rest := from.ProtoReflect().New()
	from.ProtoReflect().Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		if !slices.Contains(fields, field.Name()) {
			rest.Set(field, value)
		}
		return true
	})
	proto.Merge(to, rest.Interface())
}

// copyOfMap is nil if the map is empty, which the wire does not tell apart.
func copyOfMap[V any](m map[string]V, copyOf func(V) V) map[string]V {
	if len(m) == 0 {
		return nil
	}
	out := make(map[string]V, len(m))
	for key, value := range m {
		out[key] = copyOf(value)
	}
	return out
}

func copyOfState(s *fnv1.State) *fnv1.State {
	if s == nil {
		return nil
	}
	return &fnv1.State{Composite: copyOfResource(s.GetComposite()), Resources: copyOfMap(s.GetResources(), copyOfResource)}
}

func copyOfResources(r *fnv1.Resources) *fnv1.Resources {
	out := &fnv1.Resources{}
	for _, item := range r.GetItems() {
		out.Items = append(out.Items, copyOfResource(item))
	}
	return out
}

func copyOfResource(r *fnv1.Resource) *fnv1.Resource {
	if r == nil {
		return nil
	}
	out := &fnv1.Resource{}
	cloneExcept(out, r, "resource")
	out.Resource = copyOfStruct(r.GetResource())
	return out
}

func copyOfStruct(s *structpb.Struct) *structpb.Struct {
	if s == nil {
		return nil
	}
	return &structpb.Struct{Fields: copyOfMap(s.GetFields(), copyOfValue)}
}

func copyOfValue(v *structpb.Value) *structpb.Value {
	switch kind := v.GetKind().(type) {
	case *structpb.Value_StructValue:
		return structpb.NewStructValue(copyOfStruct(kind.StructValue))
	case *structpb.Value_ListValue:
		list := &structpb.ListValue{}
		if n := len(kind.ListValue.GetValues()); n > 0 {
			list.Values = make([]*structpb.Value, n)
			for i, value := range kind.ListValue.GetValues() {
				list.Values[i] = copyOfValue(value)
			}
		}
		return structpb.NewListValue(list)
	case *structpb.Value_StringValue:
		return structpb.NewStringValue(kind.StringValue)
	case *structpb.Value_NumberValue:
		return structpb.NewNumberValue(kind.NumberValue)
	case *structpb.Value_BoolValue:
		return structpb.NewBoolValue(kind.BoolValue)
	case *structpb.Value_NullValue:
		return structpb.NewNullValue()
	default:
		return &structpb.Value{}
	}
}
