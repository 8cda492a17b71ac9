package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

func TestUnion(t *testing.T) {
	text := func(description string) extv1.JSONSchemaProps {
		return extv1.JSONSchemaProps{Type: "string", Description: description}
	}
	older, newer := object("Older.", "both", text("Older.")), object("Newer.", "both", text("Newer."))
	older.Required, newer.Required = []string{"both", "old"}, []string{"new", "both"}
	older.Properties["old"], newer.Properties["new"] = text("Only older."), text("Only newer.")
	older.Properties["list"] = list("Older.", object("", "old", text("")))
	newer.Properties["list"] = list("Newer.", object("", "new", text("")))
	older.Properties["map"] = mapOf("Older.", text("Older."))
	newer.Properties["map"] = mapOf("Newer.", text("Newer."))
	before := *older.DeepCopy()

	want := object("Newer.", "both", text("Newer."))
	want.Required = []string{"both"}
	want.Properties["old"], want.Properties["new"] = text("Only older."), text("Only newer.")
	items := object("", "old", text(""))
	items.Properties["new"] = text("")
	want.Properties["list"] = list("Newer.", items)
	want.Properties["map"] = mapOf("Newer.", text("Newer."))
	want.Properties["map"].AdditionalProperties.Allows = true

	got, err := union(&older, &newer)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&want, got, cmp.Transformer("none", none)); diff != "" {
		t.Errorf("want -, got +\n%s", diff)
	}
	if diff := cmp.Diff(before, older); diff != "" {
		t.Errorf("the argument changed\nbefore -, after +\n%s", diff)
	}
}

// none is a list without entries, whether it is nil or not.
func none(required []string) string { return strings.Join(required, " ") }

func TestUnionErrors(t *testing.T) {
	number, text := extv1.JSONSchemaProps{Type: "number"}, extv1.JSONSchemaProps{Type: "string"}
	cases := map[string]struct {
		reason       string
		older, newer extv1.JSONSchemaProps
		want         string
	}{
		"Field":  {reason: "A field of both versions has one type.", older: object("", "a", text), newer: object("", "a", number), want: "a: the versions differ"},
		"Items":  {reason: "A list of both versions has items of one type.", older: list("", text), newer: list("", number), want: "[]: the versions differ"},
		"Values": {reason: "A map of both versions has values of one type.", older: mapOf("", text), newer: mapOf("", number), want: "*: the versions differ"},
		"List":   {reason: "A list in one version must be a list in the other.", older: text, newer: list("", text), want: "the versions differ"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := union(&tc.older, &tc.newer)
			if err == nil || !strings.HasPrefix(err.Error(), tc.want) {
				t.Errorf("%s\nwant an error that begins with %q, got %v", tc.reason, tc.want, err)
			}
		})
	}
}
