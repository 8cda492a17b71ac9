package upgrade

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/harness"
)

// TestDocumented runs the commands with which docs/upgrading.md compares two versions: what is checked out, and what the last
// commit has.
func TestDocumented(t *testing.T) {
	root := harness.Root()
	if _, err := os.Stat(filepath.Join(root, ".git")); err != nil {
		t.Skipf("needs a clone of the repository: %v", err)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "upgrading.md"))
	if err != nil {
		t.Fatal(err)
	}
	var script strings.Builder
	commands := regexp.MustCompile(`(?m)^\$ (.*)$`).FindAllStringSubmatch(string(page), -1)
	for _, command := range commands {
		fmt.Fprintln(&script, command[1])
	}
	if len(commands) < 5 {
		t.Fatalf("docs/upgrading.md has %d commands, want at least 5", len(commands))
	}
	before := filepath.Join(t.TempDir(), "before")
	mine := strings.NewReplacer("_output/before", before, "v0.1.0", "HEAD").Replace(script.String())
	cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", mine)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	graphs, err := filepath.Glob(filepath.Join(root, "examples", "*-vllm.yaml"))
	if err != nil || len(graphs) == 0 {
		t.Fatalf("there are no such examples: %v", err)
	}
	// What is checked out may render other objects than the last commit: that shows as a difference, and as no error.
	if got := strings.Count(string(out), ": unchanged\n") + strings.Count(string(out), "\n+++ "); got != len(graphs) {
		t.Errorf("%d graphs are compared, want %d:\n%s", got, len(graphs), out)
	}
}
