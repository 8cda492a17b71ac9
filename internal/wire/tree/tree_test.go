package tree

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/resource"
)

func TestText(t *testing.T) {
	object := resource.MustStructJSON(`{"metadata":{"labels":{"a":"b"}},"kind":"Service"}`)
	cases := map[string]struct {
		reason string
		object *structpb.Struct
		key    string
		path   []string
		want   string
	}{
		"Here":      {reason: "A key of the object itself has its text.", object: object, key: "kind", want: "Service"},
		"Below":     {reason: "A key of an object further down has its text.", object: object, key: "a", path: []string{"metadata", "labels"}, want: "b"},
		"NoKey":     {reason: "A key that is missing has no text.", object: object, key: "c", path: []string{"metadata", "labels"}},
		"NoObject":  {reason: "A key of an object that is missing has no text.", object: object, key: "a", path: []string{"metadata", "annotations"}},
		"NotAnText": {reason: "A key whose value is an object has no text.", object: object, key: "metadata"},
		"Nothing":   {reason: "Nothing has no keys.", key: "kind"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Text(tc.object, tc.key, tc.path...); got != tc.want {
				t.Errorf("%s\nText(...): want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}

func TestWithText(t *testing.T) {
	const object = `{"metadata":{"labels":{"a":"b"},"name":"c"}}`
	cases := map[string]struct {
		reason string
		object string
		text   string
		key    string
		path   []string
		want   string
	}{
		"Replaced": {reason: "A text takes the place of another.", object: object, text: "x", key: "a", path: []string{"metadata", "labels"}, want: `{"metadata":{"labels":{"a":"x"},"name":"c"}}`},
		"Added":    {reason: "Objects on the path are added where they are missing.", object: object, text: "x", key: "a", path: []string{"metadata", "annotations"}, want: `{"metadata":{"labels":{"a":"b"},"annotations":{"a":"x"},"name":"c"}}`},
		"Removed":  {reason: "An empty object goes with its last key.", object: object, key: "a", path: []string{"metadata", "labels"}, want: `{"metadata":{"name":"c"}}`},
		"Absent":   {reason: "To remove what is not there changes nothing.", object: object, key: "a", path: []string{"metadata", "annotations"}, want: object},
		"Nothing":  {reason: "Nothing is an empty object.", object: `{}`, text: "x", key: "a", path: []string{"b"}, want: `{"b":{"a":"x"}}`},
		"Odd":      {reason: "What is no object gives way to one.", object: `{"a":1}`, text: "x", key: "b", path: []string{"a"}, want: `{"a":{"b":"x"}}`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			before := resource.MustStructJSON(tc.object)
			got := WithText(before, tc.text, tc.key, tc.path...)
			if diff := cmp.Diff(resource.MustStructJSON(tc.want), got, protocmp.Transform()); diff != "" {
				t.Errorf("%s\nWithText(...): -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(resource.MustStructJSON(tc.object), before, protocmp.Transform()); diff != "" {
				t.Errorf("%s\nWithText(...) changed the object: -before, +after:\n%s", tc.reason, diff)
			}
		})
	}
}
