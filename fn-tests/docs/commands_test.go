// Package docs holds what people read to what is true. Users find blocks in the README and in docs/ that work: those that need no cluster are
// run here, and those for one by fn-tests/e2e. Links lead somewhere, and the objects beside the examples fit them. Contributors find files
// where the page on the design says that they are, and whole sentences in failures of tests.
package docs

import (
	"os/exec"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/page"
)

// TestCommands runs the commands of each block of a console that needs no cluster.
func TestCommands(t *testing.T) {
	harness.WatchSources(t)
	ran := 0
	for _, b := range blocks(t) {
		if b.Language != page.Console || b.Where != page.Everywhere || b.NotRun != "" {
			continue
		}
		for _, c := range b.Commands() {
			ran++
			t.Run(b.String(), func(t *testing.T) { run(t, c) })
		}
	}
	// Fewer would mean that the pages are no longer read right.
	if ran < 3 {
		t.Errorf("the pages have %d commands that can be run, want at least 3", ran)
	}
}

// run a command. One that shows an error must fail, and what it shows must be in its output.
func run(t *testing.T, c page.Command) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "-eu", "-o", "pipefail", "-c", c.Line)
	cmd.Dir = harness.Root()
	out, err := cmd.CombinedOutput()
	if c.Fails() != (err != nil) {
		t.Fatalf("%s\ngot error %v, the page shows %q\n%s", c.Line, err, c.Output, out)
	}
	if err := c.Printed(string(out)); err != nil {
		t.Error(err)
	}
}
