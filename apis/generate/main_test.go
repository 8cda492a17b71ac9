package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRunErrors(t *testing.T) {
	cases := map[string]struct {
		reason string
		in     string
		want   string
	}{
		"NotYAML": {
			reason: "The input may be an error message of controller-gen.",
			in:     "Error: unable to load packages",
			want:   "cannot parse the CustomResourceDefinition",
		},
		"UnknownField": {
			reason: "An unknown field is an error, because it would be lost.",
			in:     "metadata: {name: graphs}\nspec: {scopes: Namespaced}",
			want:   `unknown field "scopes"`,
		},
		"OtherVersion": {
			reason: "A definition with another set of versions is an error.",
			in:     "metadata: {name: graphs}\nspec: {versions: [{name: v1beta1}]}",
			want:   `want the versions v1alpha1 and v1beta1 in "graphs"`,
		},
		"NoSchema": {
			reason: "A rule whose field does not exist is an error.",
			in: "metadata: {name: graphs}\nspec: {versions: [{name: v1alpha1, schema: {openAPIV3Schema: {properties: {spec: {type: object}}}}}," +
				"{name: v1beta1, schema: {openAPIV3Schema: {properties: {spec: {type: object}}}}}]}",
			want: "spec: no field at services.*.extraPodSpec",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			err := run(strings.NewReader(tc.in), t.TempDir())
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s\nwant an error with %q, got %v", tc.reason, tc.want, err)
			}
		})
	}
}

// TestWrite checks that a definition is written to its directory, with a header that names its source.
func TestWrite(t *testing.T) {
	out := t.TempDir()
	definition := namespaced(nil)
	path := filepath.Join(out, definition.folder, "definition.yaml")
	if err := write(path, definition); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# Generated from", "name: dynamographdeployments.nvidia.com", "scope: Namespaced"} {
		if !strings.Contains(string(data), want) {
			t.Errorf("want %q in\n%s", want, data)
		}
	}
}
