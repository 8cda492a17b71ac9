package schema

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

func TestClone(t *testing.T) {
	cases := map[string]struct {
		reason string
		value  any
	}{
		"Objects": {reason: "Objects and lists are copied, empty ones too.", value: map[string]any{"a": []any{map[string]any{"b": "c"}, []any{}, map[string]any{}}, "d": nil}},
		"Whole":   {reason: "Numbers are whole if they have no fraction, whatever they have been read as.", value: []any{1, int64(2), 3.0, -4.0, 1e15}},
		"Real":    {reason: "Other numbers stay as they are, and so do those that are too large.", value: []any{0.5, -1.25, 1e19, -1e30}},
		"Others":  {reason: "Texts that look like numbers stay texts.", value: []any{"5", "", true, false}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			encoded, err := json.Marshal(tc.value)
			if err != nil {
				t.Fatal(err)
			}
			var want any
			if err := utiljson.Unmarshal(encoded, &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, clone(tc.value)); diff != "" {
				t.Errorf("%s\nclone(...): -want: as an API server decodes it, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestNulls(t *testing.T) {
	crd := &extv1.CustomResourceDefinition{Spec: extv1.CustomResourceDefinitionSpec{
		Group: "example.org", Names: extv1.CustomResourceDefinitionNames{Kind: "Thing"}, Scope: extv1.NamespaceScoped,
		Versions: []extv1.CustomResourceDefinitionVersion{{Name: "v1", Schema: &extv1.CustomResourceValidation{OpenAPIV3Schema: &extv1.JSONSchemaProps{
			Type: "object",
			Properties: map[string]extv1.JSONSchemaProps{
				"list":     {Type: "array", Items: &extv1.JSONSchemaPropsOrArray{Schema: &extv1.JSONSchemaProps{Type: "object", Properties: map[string]extv1.JSONSchemaProps{"text": {Type: "string"}}}}},
				"map":      {Type: "object", AdditionalProperties: &extv1.JSONSchemaPropsOrBool{Schema: &extv1.JSONSchemaProps{Type: "string"}}},
				"default":  {Type: "string", Default: &extv1.JSON{Raw: []byte(`"a"`)}},
				"nullable": {Type: "string", Nullable: true},
				"any":      {Type: "object", XPreserveUnknownFields: new(true)},
			},
		}}}},
	}}
	validator, err := New(crd, "v1")
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		reason string
		object map[string]any
		want   []string
	}{
		"Values":   {reason: "What has a value may have it.", object: map[string]any{"list": []any{}, "map": map[string]any{"a.b": "c"}}},
		"Fields":   {reason: "A list, a map and what is in them must not be null.", object: map[string]any{"list": nil, "map": nil}, want: []string{"list", "map"}},
		"Nested":   {reason: "Fields of items have the index of the item.", object: map[string]any{"list": []any{map[string]any{"text": "a"}, map[string]any{"text": nil}}, "map": map[string]any{"a.b": nil}}, want: []string{"list[1].text", "map[a.b]"}},
		"Allowed":  {reason: "A default takes the place of null, and a schema may allow it.", object: map[string]any{"default": nil, "nullable": nil}},
		"NoSchema": {reason: "Without a schema any value is valid.", object: map[string]any{"any": map[string]any{"a": nil}, "unknown": nil}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, validator.Nulls(&unstructured.Unstructured{Object: tc.object})); diff != "" {
				t.Errorf("%s\nNulls(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
