package docs

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// TestGolden checks that `make golden` runs each package that writes golden files. The files of another package would stay as they are,
// although CONTRIBUTING.md says that all are written.
func TestGolden(t *testing.T) {
	root := harness.Root()
	printed, err := exec.CommandContext(t.Context(), "make", "--no-print-directory", "--directory", root, "--dry-run", "golden").Output()
	if err != nil {
		t.Fatalf("cannot read target golden of Makefile: %v", err)
	}
	var listed []string
	for word := range strings.FieldsSeq(string(printed)) {
		if folder, ok := strings.CutPrefix(word, "./"); ok {
			listed = append(listed, folder)
		}
	}
	if diff := cmp.Diff(writers(t, root), slices.Sorted(slices.Values(listed))); diff != "" {
		t.Errorf("GOLDEN in Makefile: -packages that write golden files, +packages that are listed:\n%s", diff)
	}
}

// writers are the packages that write golden files, sorted.
func writers(t *testing.T, root string) []string {
	t.Helper()
	var folders []string
	for _, top := range []string{"apis", "cmd", "fn-tests", "functions", "internal", "tool"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
				return err
			}
			text, err := os.ReadFile(path) //nolint:gosec // The files are our own.
			writes := func(call string) bool { return bytes.Contains(text, []byte(call)) }
			if err != nil || !slices.ContainsFunc([]string{"harness.Golden(", "harness.Update()", "words.Golden(", "whole.Table("}, writes) {
				return err
			}
			folder, err := filepath.Rel(root, filepath.Dir(path))
			// This test contains the names of the functions, and the others are functions that tests call.
			if folder != "fn-tests/docs" && folder != "fn-tests/support/harness" && !strings.HasPrefix(folder, "fn-tests/support/plantest") {
				folders = append(folders, folder)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(folders)
	return slices.Compact(folders)
}
