package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

func TestEdit(t *testing.T) {
	cases := map[string]struct {
		reason string
		path   string
		want   string
		err    string
	}{
		"Root":    {reason: "The empty path is the schema itself.", path: "", want: "root"},
		"Map":     {reason: "A * is the value of a map.", path: "map.*.leaf", want: "leaf of map"},
		"List":    {reason: "A [] is the item of a list.", path: "list.[].leaf", want: "leaf of list"},
		"NoField": {reason: "A field that does not exist is an error.", path: "map.*.other", err: "map: no field at other"},
		"NoMap":   {reason: "A * at a schema that is not a map is an error.", path: "list.*", err: "list: no map at *"},
		"NoList":  {reason: "A [] at a schema that is not a list is an error.", path: "map.[].leaf", err: "map: no list at [].leaf"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			schema := object("root", "map", mapOf("", object("", "leaf", extv1.JSONSchemaProps{Description: "leaf of map"})))
			schema.Properties["list"] = list("", object("", "leaf", extv1.JSONSchemaProps{Description: "leaf of list"}))

			var got, edited string
			err := edit(&schema, tc.path, func(schema *extv1.JSONSchemaProps) error {
				got, schema.Description = schema.Description, "edited"
				return nil
			})
			if message(err) != tc.err || got != tc.want {
				t.Fatalf("%s\nwant %q and error %q, got %q and %v", tc.reason, tc.want, tc.err, got, err)
			}
			if err != nil {
				return
			}
			if err := edit(&schema, tc.path, func(schema *extv1.JSONSchemaProps) error {
				edited = schema.Description
				return nil
			}); err != nil || edited != "edited" {
				t.Errorf("%s\nthe edit was lost: %q, %v", tc.reason, edited, err)
			}
		})
	}
}

// TestChangesGone checks that a change that is no longer needed is an error, so that it is removed from the list.
func TestChangesGone(t *testing.T) {
	schema := &extv1.JSONSchemaProps{
		Required:   []string{"containers", "name"},
		Properties: map[string]extv1.JSONSchemaProps{"enabled": {Default: &extv1.JSON{Raw: []byte("false")}}},
	}
	if err := optional("containers")(schema); err != nil {
		t.Fatal(err)
	}
	if err := require("enabled")(schema); err != nil {
		t.Fatal(err)
	}
	want := &extv1.JSONSchemaProps{
		Required:   []string{"name", "enabled"},
		Properties: map[string]extv1.JSONSchemaProps{"enabled": {}},
	}
	if diff := cmp.Diff(want, schema); diff != "" {
		t.Errorf("want -, got +\n%s", diff)
	}
	if got, want := message(optional("containers")(schema)), "containers is not required"; got != want {
		t.Errorf("want error %q, got %q", want, got)
	}
	if got, want := message(require("enabled")(schema)), "enabled has no default"; got != want {
		t.Errorf("want error %q, got %q", want, got)
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
