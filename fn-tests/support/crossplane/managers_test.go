package crossplane

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFieldsOf(t *testing.T) {
	leaf := map[string]any{}
	cases := map[string]struct {
		reason string
		value  any
		want   map[string]any
	}{
		"Scalar": {reason: "A scalar has no fields.", value: "x", want: leaf},
		"Object": {reason: "An object has the fields of its values.", value: map[string]any{"a": map[string]any{"b": true}}, want: map[string]any{"f:a": map[string]any{"f:b": leaf}}},
		"NamedElements": {
			reason: "Elements with names are owned one by one.",
			value:  []any{map[string]any{"name": "main", "image": "x"}},
			want:   map[string]any{`k:{"name":"main"}`: map[string]any{".": leaf, "f:name": leaf, "f:image": leaf}},
		},
		"Scalars":       {reason: "A list of scalars is owned as a whole.", value: []any{"a", "b"}, want: leaf},
		"SomeWithNames": {reason: "A list with an element that has no name is owned as a whole.", value: []any{map[string]any{"name": "a"}, map[string]any{"key": "b"}}, want: leaf},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, fieldsOf(tc.value)); diff != "" {
				t.Errorf("%s\nfieldsOf(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestSetManagers(t *testing.T) {
	object := parsed(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a","labels":{"l":"x"},"annotations":{"n":"x"},
		"ownerReferences":[{"uid":"1"}]},"spec":{"replicas":1},"status":{"replicas":1}}`)
	setManagers(object, parsed(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a"},"spec":{"replicas":1}}`))
	want := parsed(`{"managedFields":[
		{"manager":"apiextensions.crossplane.io/composed/0123456789abcdef0123456789abcdef","operation":"Apply","apiVersion":"apps/v1",
		 "time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{
			"f:metadata":{"f:labels":{"f:l":{}},"f:annotations":{"f:n":{}},"f:ownerReferences":{"k:{\"uid\":\"1\"}":{}}},
			"f:spec":{"f:replicas":{}}}},
		{"manager":"controller-manager","operation":"Update","subresource":"status","apiVersion":"apps/v1",
		 "time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:status":{"f:replicas":{}}}}]}`).Object["managedFields"]
	metadata, _ := object.Object["metadata"].(map[string]any)
	if diff := cmp.Diff(want, metadata["managedFields"]); diff != "" {
		t.Errorf("metadata.managedFields: -want, +got:\n%s", diff)
	}
}
