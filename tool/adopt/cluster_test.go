package adopt

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// TestResourcesPage checks that docs/moving-in.md lists what a dump needs.
func TestResourcesPage(t *testing.T) {
	page := harness.File(t, filepath.Join("docs", "moving-in.md"))
	_, listed, _ := strings.Cut(string(page), "for resource in")
	listed, _, _ = strings.Cut(listed, "\ndo\n")
	want := strings.Join(resources(), " ")
	if got := strings.Join(strings.Fields(strings.ReplaceAll(listed, "\\", "")), " "); got != want {
		t.Errorf("want docs/moving-in.md to list %s, got %s", want, got)
	}
}
