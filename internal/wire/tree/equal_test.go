package tree

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane/function-sdk-go/resource"
)

func TestDifferences(t *testing.T) {
	const object = `{"a":"x","b":{"c":1,"d":[{"e":true},{"f":null}]}}`
	cases := map[string]struct {
		reason, other string
		want          []string
	}{
		"Same":         {reason: "The same tree has no difference.", other: object},
		"Text":         {reason: "A text differs at its path.", other: `{"a":"y","b":{"c":1,"d":[{"e":true},{"f":null}]}}`, want: []string{"a"}},
		"Number":       {reason: "A number differs at its path.", other: `{"a":"x","b":{"c":2,"d":[{"e":true},{"f":null}]}}`, want: []string{"b.c"}},
		"Element":      {reason: "An element of a list is named by its index.", other: `{"a":"x","b":{"c":1,"d":[{"e":false},{"f":null}]}}`, want: []string{"b.d[0].e"}},
		"Length":       {reason: "A longer list is one difference.", other: `{"a":"x","b":{"c":1,"d":[{"e":true},{"f":null},{}]}}`, want: []string{"b.d"}},
		"Kind":         {reason: "A value of another kind is one difference.", other: `{"a":{"x":1},"b":{"c":1,"d":[{"e":true},{"f":null}]}}`, want: []string{"a"}},
		"Absent":       {reason: "An absent field is a difference.", other: `{"b":{"c":1,"d":[{"e":true},{"f":null}]}}`, want: []string{"a"}},
		"Additional":   {reason: "A field more is a difference.", other: `{"a":"x","b":{"c":1,"d":[{"e":true},{"f":null}]},"g":{}}`, want: []string{"g"}},
		"Several":      {reason: "All differences are found.", other: `{"a":"y","b":{"c":2,"d":[{"e":true},{"f":1}]}}`, want: []string{"a", "b.c", "b.d[1].f"}},
		"NothingAtAll": {reason: "All fields of an object differ from those of nothing.", other: `{}`, want: []string{"a", "b"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			a, b := resource.MustStructJSON(object), resource.MustStructJSON(tc.other)
			got := Differences(a, b)
			slices.Sort(got)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nDifferences(...): -want, +got:\n%s", tc.reason, diff)
			}
			if got, want := Equal(a, b), len(tc.want) == 0; got != want {
				t.Errorf("%s\nEqual(...): want %t, got %t", tc.reason, want, got)
			}
			if got, want := Equal(b, a), len(tc.want) == 0; got != want {
				t.Errorf("%s\nEqual(...): want %t the other way round, got %t", tc.reason, want, got)
			}
		})
	}
}
