package graph

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
)

// leaked is a value that no message may show: it may be a credential in the wrong place.
const leaked = "hf-leaked-credential"

// wrongTypes are values none of which has the type of a field.
func wrongTypes() map[reflect.Kind][]any {
	texts, lists, objects := any(leaked), any([]any{leaked}), any(map[string]any{leaked: leaked})
	numbers := any(float64(8123456789))
	return map[reflect.Kind][]any{
		reflect.String: {numbers, lists, objects}, reflect.Bool: {texts, numbers, lists, objects}, reflect.Int: {texts, lists, objects},
		reflect.Slice: {texts, numbers}, reflect.Map: {texts, numbers, lists}, reflect.Struct: {texts, numbers, lists},
	}
}

// eachField calls a function for each field below a type with a value of the wrong type, wrapped into the objects and lists around it. Types
// within themselves are left out, and so are those with a form of their own, such as quantities, which are texts.
func eachField(t reflect.Type, within map[reflect.Type]bool, wrap func(any) any, do func(any)) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	_, formed := reflect.New(t).Interface().(json.Unmarshaler)
	kind := t.Kind()
	if kind == reflect.Int32 || kind == reflect.Int64 {
		kind = reflect.Int
	}
	if formed || within[t] {
		return
	}
	for _, wrong := range wrongTypes()[kind] {
		do(wrap(wrong))
	}
	switch kind { //nolint:exhaustive // Other kinds have nothing in them.
	case reflect.Slice:
		eachField(t.Elem(), within, func(value any) any { return wrap([]any{value}) }, do)
	case reflect.Map:
		eachField(t.Elem(), within, func(value any) any { return wrap(map[string]any{"key": value}) }, do)
	case reflect.Struct:
		within[t] = true
		defer delete(within, t)
		for f := range t.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" {
				eachField(f.Type, within, wrap, do)
				continue
			}
			eachField(f.Type, within, func(value any) any { return wrap(map[string]any{name: value}) }, do)
		}
	}
}

// TestWrongTypes gives each field of the API, in both forms, values of the wrong type. No message shows them.
func TestWrongTypes(t *testing.T) {
	for name, spec := range map[string]reflect.Type{
		"Services": reflect.TypeFor[v1alpha1.DynamoGraphDeploymentSpec](), "Components": reflect.TypeFor[v1beta1.DynamoGraphDeploymentSpec](),
	} {
		t.Run(name, func(t *testing.T) {
			tried, refused := 0, 0
			eachField(spec, map[reflect.Type]bool{}, func(value any) any { return map[string]any{"spec": value} }, func(object any) {
				fields, err := structpb.NewValue(object)
				if err != nil {
					t.Fatal(err)
				}
				graph := fields.GetStructValue()
				// The list says which form a graph has.
				if spec := graph.GetFields()["spec"].GetStructValue(); name == "Components" && spec != nil && spec.GetFields()["components"] == nil {
					spec.Fields["components"] = structpb.NewListValue(&structpb.ListValue{})
				}
				graph.Fields["kind"] = structpb.NewStringValue("DynamoGraphDeployment")
				graph.Fields["metadata"] = structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{"name": structpb.NewStringValue("llama")}})
				_, errs := Decode(&fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: graph}}})
				tried++
				if len(errs) > 0 {
					refused++
				}
				for _, err := range errs {
					// A key in the wrong place is part of the path, as the user has to find it.
					message := strings.ReplaceAll(err.String(), err.Field, "")
					if strings.Contains(message, leaked) || strings.Contains(message, "8123456789") {
						t.Errorf("want no value in the message, got %s for %v", err, object)
					}
				}
			})
			if refused < tried/2 || tried < 1000 {
				t.Errorf("want most of many values refused, got %d of %d", refused, tried)
			}
		})
	}
}
