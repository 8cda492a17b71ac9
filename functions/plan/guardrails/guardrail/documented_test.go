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
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
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

// table of the places in both forms, with one row for each guard rail.
func table() string {
	var text strings.Builder
	text.WriteString("| guard rail | in a graph with components | in a graph with services |\n|---|---|---|\n")
	for _, rail := range guardrail.Rails() {
		var components, services []string
		for _, place := range guardrail.Of(rail) {
			if place.Graph != "" || place.Suffix {
				continue
			}
			components, services = append(components, cell(place.Component)), append(services, cell(place.Service))
		}
		fmt.Fprintf(&text, "| `%s` | %s | %s |\n", rail, cells(components), cells(services))
	}
	keys := metadata.QueueKeys()
	var ofGraph []string
	for _, place := range guardrail.Places() {
		if place.Graph != "" {
			ofGraph = append(ofGraph, string(place.Graph))
		}
	}
	fmt.Fprintf(&text, "\nA `KEY` of a queue is `%s`. Labels of the graph itself count, too: `%s`. KAI adds `%s` of a pod to `project`: `<project>-<node pool>` has to be allowed.\n",
		strings.Join(keys, "`, `"), strings.Join(ofGraph, "`, `"), metadata.LabelKAINodePool)
	return text.String()
}

// cells as one, each once.
func cells(all []string) string {
	var once []string
	for _, cell := range all {
		if cell != "" && !slices.Contains(once, cell) {
			once = append(once, cell)
		}
	}
	return strings.Join(once, ", ")
}

// cell with a path, with one key for all keys of queues.
func cell(path guardrail.Path) string {
	if path == "" {
		return ""
	}
	for _, key := range metadata.QueueKeys() {
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
