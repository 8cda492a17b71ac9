package guardrail

import (
	"fmt"
	"os"
	"strings"
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

// documented is the file with the table of places, between two marks.
const documented, begin, end = "../../../../docs/policy.md", "<!-- places: begin -->\n", "<!-- places: end -->\n"

// TestDocumented holds the table in the documentation to that of the code. With CONFIGURATION_DYNAMO_UPDATE=1, it writes the former.
func TestDocumented(t *testing.T) {
	page, err := os.ReadFile(documented)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(page), begin)
	got, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no marks around the table of places", documented)
	}
	want := table()
	if os.Getenv("CONFIGURATION_DYNAMO_UPDATE") == "1" {
		if err := os.WriteFile(documented, []byte(before+begin+want+end+after), 0o600); err != nil { //nolint:gosec // It is a page of the repository.
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: table of places: -want, +got (CONFIGURATION_DYNAMO_UPDATE=1 writes it):\n%s", documented, diff)
	}
}

// table of the places in both forms, with one row for all keys of queues.
func table() string {
	var text strings.Builder
	text.WriteString("| guard rail | in a graph with components | in a graph with services |\n|---|---|---|\n")
	seen := map[string]bool{}
	for _, place := range Places() {
		row := fmt.Sprintf("| `%s` | %s | %s |\n", place.Rail, cell(place.Component), cell(place.Service))
		if !seen[row] {
			text.WriteString(row)
			seen[row] = true
		}
	}
	keys := QueueKeys()
	fmt.Fprintf(&text, "\nA `KEY` of a queue is `%s`. The annotations of the graph itself that name its queue are in [tenancy.md](tenancy.md).\n", strings.Join(keys, "`, `"))
	return text.String()
}

func cell(path Path) string {
	if path == "" {
		return ""
	}
	for _, key := range QueueKeys() {
		path = Path(strings.ReplaceAll(string(path), "["+key+"]", "[KEY]"))
	}
	return "`" + string(path) + "`"
}
