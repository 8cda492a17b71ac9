package e2e

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestAddFields(t *testing.T) {
	object := func(kind string, spec map[string]any) []*unstructured.Unstructured {
		return []*unstructured.Unstructured{{Object: map[string]any{"apiVersion": "v1", "kind": kind, "spec": spec}}}
	}
	known := map[string]any{"a": int64(1), "list": []any{map[string]any{"b": "c"}}}
	cases := map[string]struct {
		reason  string
		objects []*unstructured.Unstructured
		want    bool
	}{
		"Known":     {reason: "Another value is no other field.", objects: object("Pod", map[string]any{"a": int64(2)})},
		"MoreItems": {reason: "More items with the same fields are nothing new.", objects: object("Pod", map[string]any{"list": []any{map[string]any{"b": "d"}, map[string]any{"b": "e"}}})},
		"New":       {reason: "A field may be new.", objects: object("Pod", map[string]any{"z": int64(1)}), want: true},
		"InItem":    {reason: "A field of any item may be new.", objects: object("Pod", map[string]any{"list": []any{map[string]any{"b": "c"}, map[string]any{"z": "c"}}}), want: true},
		"OtherKind": {reason: "The same field of another kind is new.", objects: object("Service", map[string]any{"a": int64(1)}), want: true},
		"Nothing":   {reason: "A graph may compose nothing."},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			seen := map[string]bool{}
			addFields(seen, object("Pod", known))
			if got := addFields(seen, tc.objects); got != tc.want {
				t.Errorf("%s\naddFields(...): want %t, got %t", tc.reason, tc.want, got)
			}
			if addFields(seen, tc.objects) {
				t.Errorf("%s\naddFields(...): want nothing new the second time", tc.reason)
			}
		})
	}
}
