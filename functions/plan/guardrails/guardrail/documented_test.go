package guardrail_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/guardrails/guardrail"
)

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
	if harness.Update() {
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
	var ofGraph []string
	for _, place := range guardrail.Places() {
		if place.Graph != "" {
			ofGraph = append(ofGraph, string(place.Graph))
			continue
		}
		row := fmt.Sprintf("| `%s` | %s | %s |\n", place.Rail, cell(place.Component), cell(place.Service))
		if !seen[row] {
			text.WriteString(row)
			seen[row] = true
		}
	}
	keys := guardrail.QueueKeys()
	fmt.Fprintf(&text, "\nA `KEY` of a queue is `%s`. The annotations of the graph itself that name its queue are in [tenancy.md](tenancy.md).\n", strings.Join(keys, "`, `"))
	fmt.Fprintf(&text, "\nKAI looks for a queue in the labels of the graph itself before those of its pods, so they are places, too: `%s`.\n", strings.Join(ofGraph, "`, `"))
	return text.String()
}

func cell(path guardrail.Path) string {
	if path == "" {
		return ""
	}
	for _, key := range guardrail.QueueKeys() {
		path = guardrail.Path(strings.ReplaceAll(string(path), "["+key+"]", "[KEY]"))
	}
	return "`" + string(path) + "`"
}

// TestRails holds that the guard rails of all places are listed: those of a guard rail that is not would not be checked.
func TestRails(t *testing.T) {
	var rails []guardrail.Rail
	for _, place := range guardrail.Places() {
		rails = append(rails, place.Rail)
	}
	slices.Sort(rails)
	if diff := cmp.Diff(slices.Compact(rails), slices.Sorted(slices.Values(guardrail.Rails()))); diff != "" {
		t.Errorf("rails: -want, +got:\n%s", diff)
	}
}
