package docs

import (
	"regexp"
	"slices"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/page"
)

// TestPagesOfMessages follows the links in what the program says: the page exists, and has the heading.
func TestPagesOfMessages(t *testing.T) {
	link := regexp.MustCompile(`compatibility\.Page\("([\w-]+\.md)(?:#([\w-]+))?"\)`)
	found := 0
	for _, path := range harness.Walk(t, ".go", "cmd", "functions", "internal", "tool") {
		for _, match := range link.FindAllStringSubmatch(text(t, path), -1) {
			found++
			if anchors := page.Anchors(text(t, "docs/"+match[1])); match[2] != "" && !slices.Contains(anchors, match[2]) {
				t.Errorf("%s: page %s has no heading %s", path, match[1], match[2])
			}
		}
	}
	if found == 0 {
		t.Error("no message has a link to a page")
	}
}
