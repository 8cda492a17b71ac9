package runtime_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
)

// TestEveryRuleIsAsked shows that something asks for each rule, so that docs/dynamo-releases.md promises nothing that no pod gets.
func TestEveryRuleIsAsked(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	code := &strings.Builder{}
	for _, folder := range []string{"functions", "internal", "tool"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || entry.Name() == "rules.go" {
				return err
			}
			text, err := os.ReadFile(path) //nolint:gosec // The files are our own.
			code.Write(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, change := range runtime.Changes() {
		if !strings.Contains(code.String(), "runtime."+string(change.Rule)) && !strings.Contains(code.String(), "Has("+string(change.Rule)+")") {
			t.Errorf("nothing asks for rule %s: where pods are built, ask the RuntimeVersion of the service for it", change.Rule)
		}
	}
}
