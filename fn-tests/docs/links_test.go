package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/page"
)

// TestLinks checks that links within the repository lead to a file or folder, and to a heading of it, as a forge shows them. fn-tests/site
// checks the links of the site.
func TestLinks(t *testing.T) {
	links := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	found := 0
	for _, name := range markdown(t) {
		for _, match := range links.FindAllStringSubmatch(strings.Join(page.Prose(text(t, name)), "\n"), -1) {
			if strings.Contains(match[1], "://") {
				continue
			}
			found++
			testLink(t, name, match[1])
		}
	}
	// Fewer would mean that the pages are no longer read right.
	if found < 300 {
		t.Errorf("the pages have %d links to each other, want at least 300", found)
	}
}

func testLink(t *testing.T, name, link string) {
	t.Helper()
	target, fragment, _ := strings.Cut(link, "#")
	to := name
	if target != "" {
		to = filepath.Join(filepath.Dir(name), target)
	}
	if _, err := os.Stat(filepath.Join(harness.Root(), to)); err != nil {
		t.Errorf("%s: link %s leads nowhere: %v", name, link, err)
		return
	}
	if fragment == "" {
		return
	}
	if anchors := page.Anchors(text(t, to)); !slices.Contains(anchors, fragment) {
		t.Errorf("%s: %s has no heading for link %s", name, to, link)
	}
}

// markdown files of the repository, by their paths in it. Those of tests are what tests read.
func markdown(t *testing.T) []string {
	t.Helper()
	names := harness.Walk(t, ".md", "docs", "site")
	for _, path := range harness.Glob(t, "*.md") {
		names = append(names, filepath.Base(path))
	}
	return names
}

func text(t *testing.T, name string) string {
	t.Helper()
	return string(harness.File(t, name))
}
