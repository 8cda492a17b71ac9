package guardrail

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// TestValues shows what is found at a path.
func TestValues(t *testing.T) {
	object := map[string]any{
		"labels": map[string]any{"a.b/c": "x", "empty": ""},
		"services": map[string]any{
			"B": map[string]any{"list": []any{map[string]any{"name": "1"}, map[string]any{}, "text"}, "flag": true},
			"A": map[string]any{"list": []any{map[string]any{"name": "2"}}, "flag": false, "texts": []any{"t", ""}},
		},
	}
	cases := map[string]struct {
		reason string
		path   Path
		want   []string
	}{
		"Key":     {reason: "A key of a map may contain dots and slashes.", path: "labels[a.b/c]", want: []string{"spec.labels[a.b/c]=x"}},
		"Empty":   {reason: "An empty text names nothing.", path: "labels[empty]"},
		"Missing": {reason: "What is missing names nothing.", path: "nothing.at[*].all[key]"},
		"All":     {reason: "All values of a map and all elements of a list are found, in order.", path: "services[*].list[*].name", want: []string{"spec.services[A].list[0].name=2", "spec.services[B].list[0].name=1"}},
		"Flag":    {reason: "A field that is false is as if it were not there.", path: "services[*].flag", want: []string{"spec.services[B].flag=true"}},
		"Texts":   {reason: "A list may be one of texts.", path: "services[*].texts[*]", want: []string{"spec.services[A].texts[0]=t"}},
		"Wrong":   {reason: "A value of another kind has no fields.", path: "labels[a.b/c].field"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, value := range tc.path.Values(field.NewPath("spec"), object) {
				got = append(got, fmt.Sprintf("%s=%v", value.Path, value.Value))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nValues(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
