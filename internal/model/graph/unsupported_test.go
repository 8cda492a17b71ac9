package graph

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
)

// TestUnsupportedFields sets each field in both forms of a graph. It is refused by its name, and nothing about it is called unknown.
func TestUnsupportedFields(t *testing.T) {
	forms := map[string]string{
		"spec.components[A].": `{"components":[{"name":"A","type":"worker","FIELD":{"any":"thing"}}]}`,
		"spec.services[A].":   `{"services":{"A":{"componentType":"worker","FIELD":{"any":"thing"}}}}`,
	}
	for _, f := range UnsupportedFields() {
		for at, spec := range forms {
			t.Run(at+f.Name, func(t *testing.T) {
				g, errs := Decode(request(ofSpec(strings.Replace(spec, "FIELD", f.Name, 1))))
				var got []string
				for _, m := range errs {
					got = append(got, string(m.Code)+" "+m.In(g))
				}
				want := []string{string(rule.UnknownField) + " " + at + f.Name + ": Forbidden: is not supported: " + f.Reason + "; " + f.Remedy}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("The field is refused with the reason and the remedy.\nDecode(...): -want, +got:\n%s", diff)
				}
			})
		}
		if f.KnownTo == "" || f.Reason == "" || f.Remedy == "" {
			t.Errorf("%s: nothing may be empty", f.Name)
		}
	}
	byName := func(a, b UnsupportedField) int { return strings.Compare(a.Name, b.Name) }
	if !slices.IsSortedFunc(UnsupportedFields(), byName) {
		t.Error("The fields are not sorted by name.")
	}
}
