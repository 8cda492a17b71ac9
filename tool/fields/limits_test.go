package fields

import (
	"testing"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

func TestLimits(t *testing.T) {
	raw := func(value string) *extv1.JSON { return &extv1.JSON{Raw: []byte(value)} }
	cases := map[string]struct {
		reason string
		schema extv1.JSONSchemaProps
		want   string
	}{
		"None":    {reason: "A field without limits has none."},
		"Enum":    {reason: "Values are listed, with the default.", schema: extv1.JSONSchemaProps{Enum: []extv1.JSON{*raw(`"a"`), *raw(`"b"`)}, Default: raw(`"a"`)}, want: "`a`, `b`; default `a`"},
		"Number":  {reason: "A number is within bounds.", schema: extv1.JSONSchemaProps{Minimum: new(0.0), Maximum: new(1.5), Default: raw("1")}, want: "default `1`; at least 0; at most 1.5"},
		"String":  {reason: "A string has a length.", schema: extv1.JSONSchemaProps{MaxLength: new(int64(63)), Description: "Name. Immutable."}, want: "at most 63 characters; immutable"},
		"Strings": {reason: "The lengths of a list are its own and that of its items.", schema: extv1.JSONSchemaProps{MaxItems: new(int64(25)), Items: &extv1.JSONSchemaPropsOrArray{Schema: &extv1.JSONSchemaProps{MaxLength: new(int64(63))}}}, want: "at most 63 characters; at most 25 items"},
		"Map":     {reason: "A map has a size.", schema: extv1.JSONSchemaProps{MaxProperties: new(int64(25))}, want: "at most 25 items"},
		"Empty":   {reason: "An empty string as a default says nothing.", schema: extv1.JSONSchemaProps{Default: raw(`""`)}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Limits(&tc.schema); got != tc.want {
				t.Errorf("%s\nLimits(...): want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}
