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
	root := harness.Root()
	if _, err := os.Stat(filepath.Join(root, ".git")); err != nil {
		shared.Skipf(t, 1, "a clone of the repository: %v", err)
	}
	blocks, err := page.All()
	if err != nil {
		t.Fatal(err)
	}
	mine := strings.NewReplacer("HEAD~1", "HEAD")
	ran := 0
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
		ran++
	}
	if ran == 0 {
		t.Error("the page has no script for a clone")
	}
}
