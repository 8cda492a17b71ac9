package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// TestPagesOfMessages follows the links in what the program says: the page exists, and has the heading.
func TestPagesOfMessages(t *testing.T) {
	link := regexp.MustCompile(`compatibility\.Page\("([\w-]+\.md)(?:#([\w-]+))?"\)`)
	found := 0
	for _, folder := range []string{"cmd", "functions", "internal", "tool"} {
		err := filepath.WalkDir(filepath.Join(harness.Root(), folder), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
				return err
			}
			source, err := os.ReadFile(path) //nolint:gosec // Nobody replaces the source of the tests while they run.
			if err != nil {
				return err
			}
			for _, match := range link.FindAllStringSubmatch(string(source), -1) {
				found++
				page, err := os.ReadFile(filepath.Join(harness.Root(), "docs", filepath.Clean(match[1])))
				if err != nil {
					t.Errorf("%s: %v", path, err)
					continue
				}
				if heading := match[2]; heading != "" && !hasHeading(string(page), heading) {
					t.Errorf("%s: page %s has no heading %s", path, match[1], heading)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found == 0 {
		t.Error("no message has a link to a page")
	}
}

// hasHeading reports whether a page has a heading with this anchor.
func hasHeading(page, anchor string) bool {
	for line := range strings.Lines(page) {
		text, isHeading := strings.CutPrefix(strings.TrimLeft(line, "#"), " ")
		if isHeading && strings.HasPrefix(line, "#") && strings.ReplaceAll(strings.ToLower(strings.TrimSpace(text)), " ", "-") == anchor {
			return true
		}
	}
	return false
}
