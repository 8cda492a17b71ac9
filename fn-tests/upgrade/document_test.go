package upgrade

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/page"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
)

// TestDocumented runs the scripts with which docs/upgrading.md compares two versions: the working tree and the last commit, so that a
// shallow clone is sufficient.
func TestDocumented(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the last commit: `make suites` runs the scripts")
	}
	root := harness.Root()
	if _, err := os.Stat(filepath.Join(root, ".git")); err != nil {
		shared.Skipf(t, 1, "a clone of the repository: %v", err)
	}
	blocks, err := page.All()
	if err != nil {
		t.Fatal(err)
	}
	before := filepath.Join(t.TempDir(), "before")
	mine := strings.NewReplacer("_output/before", before, "HEAD~1", "HEAD")
	var out strings.Builder
	for _, b := range blocks {
		if b.Page != page.Upgrading || b.Where != page.Clone {
			continue
		}
		cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", mine.Replace(b.Text))
		cmd.Dir = root
		printed, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", b, err, printed)
		}
		out.Write(printed)
	}
	graphs, err := filepath.Glob(filepath.Join(root, "examples", "*-vllm.yaml"))
	if err != nil || len(graphs) == 0 {
		t.Fatalf("there are no such examples: %v", err)
	}
	// The working tree may render other objects than the last commit. This is a difference, but not an error.
	if got := strings.Count(out.String(), ": unchanged\n") + strings.Count(out.String(), "\n+++ "); got != len(graphs) {
		t.Errorf("%d graphs are compared, want %d:\n%s", got, len(graphs), out.String())
	}
}
