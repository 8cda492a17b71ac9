package e2e

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/page"
)

// resumed pauses a graph whose circuit breaker is open, and resumes it with the script of the upgrade guide. Crossplane drops the change,
// and does not reconcile a paused graph by itself.
// https://github.com/crossplane/crossplane/blob/v2.4.0/internal/controller/apiextensions/composite/reconciler.go#L580
func (s *suite) resumed(t *T) {
	t.Helper()
	g := s.run(t, "agg-vllm", "resumed", onLeaderWorkerSets)
	ref := controlplane.RefOf(g)
	annotate := func(name string, value any) {
		if err := s.Client.Patch(s.ctx, ref, map[string]any{"metadata": map[string]any{"annotations": map[string]any{name: value}}}); err != nil {
			t.Fatal(err)
		}
	}
	open := func() error {
		for i := range 60 {
			annotate("example.org/edit", strconv.Itoa(i))
		}
		return s.is(ref, "Responsive", "False")()
	}
	s.eventually(t, "the circuit breaker is open", open)
	annotate("crossplane.io/paused", "true")
	s.eventually(t, "the graph is paused", s.says(ref, "Synced", "False", "paused"))

	script := resumption(t)
	out, err := s.Shell(s.ctx, strings.ReplaceAll(script, "llama", ref.Name))
	if err != nil {
		t.Fatalf("%s: %v", script, err)
	}
	t.Logf("%s\n%s", script, out)
	s.eventually(t, "the graph is ready", s.is(ref, "Synced", "True", "Ready", "True"))
	s.remove(t, g)
}

// resumption is what the upgrade guide does with one graph after the other.
func resumption(t *T) string {
	t.Helper()
	scripts := scriptsOf(t, page.Namespaced, false)
	i := slices.IndexFunc(scripts, func(b page.Block) bool { return strings.Contains(b.Text, "crossplane.io/paused-") })
	if i < 0 {
		t.Fatal("want a script that resumes a graph")
	}
	_, script, found := strings.Cut(scripts[i].Text, "for each graph:\n")
	if !found {
		t.Fatalf("want a line that begins with what is done for each graph in\n%s", scripts[i].Text)
	}
	return script
}
