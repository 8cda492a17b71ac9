package conformance

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// TestDifferences checks that the page for users is up to date.
func TestDifferences(t *testing.T) {
	want, err := Document(Releases())
	if err != nil {
		t.Fatal(err)
	}
	got := harness.File(t, filepath.Join("docs", "differences.md"))
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("docs/differences.md is not up to date: run make generate\nwant -, got +\n%s", diff)
	}
}
