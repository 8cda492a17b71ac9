package e2e

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/playground"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// inPlayground runs the playground as `make playground` does, until its graph is ready, and then scenarios in it.
func inPlayground(t *T, use func(s *suite, p *playground.Playground)) {
	t.Helper()
	ctx := interruptible(t)
	err := playground.Run(ctx, makePlayground(t), ofAll(controlplane.Options{Audit: true}), t.Output(), func(p *playground.Playground) {
		defer func() {
			if t.Failed() {
				p.Keep()
			}
		}()
		use(&suite{ControlPlane: p.ControlPlane, ctx: ctx, logf: t.Logf, served: map[apiKind]bool{}, grove: newGrove}, p)
	})
	if err != nil {
		t.Fatalf("make playground: %v", err)
	}
}

// makePlayground does what `make playground` does, up to its last command, whose arguments it returns. That starts the program which was built before,
// and which is only asked for its help here: the test runs the same itself, to see inside.
func makePlayground(t testing.TB) []string {
	t.Helper()
	shell := func(script string) string {
		command := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", script)
		command.Dir = harness.Root()
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%s\n%v\n%s", script, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	recipe := shell("make --no-print-directory --dry-run playground")
	shell(recipe + " -help")
	last := recipe[strings.LastIndex(recipe, "\n")+1:]
	return strings.Fields(strings.ReplaceAll(last, "'", ""))[1:]
}
