package metadata

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLabelValue(t *testing.T) {
	cases := map[string]struct{ reason, name, want string }{
		"Short":   {reason: "A name that fits is the value: labels of live objects stay.", name: "llama-k8s-service-discovery", want: "llama-k8s-service-discovery"},
		"Longest": {reason: "A name of 63 characters is the value.", name: strings.Repeat("a", 63), want: strings.Repeat("a", 63)},
		"Long":    {reason: "A name of more than 63 characters is cut.", name: strings.Repeat("a", 64), want: strings.Repeat("a", 63)},
		"Dash":    {reason: "A value ends with a letter or digit.", name: strings.Repeat("a", 61) + "-.b", want: strings.Repeat("a", 61)},
		"Empty":   {reason: "No name is no value."},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, LabelValue(tc.name)); diff != "" {
				t.Errorf("%s\nLabelValue(%s): -want, +got:\n%s", tc.reason, tc.name, diff)
			}
		})
	}
}
