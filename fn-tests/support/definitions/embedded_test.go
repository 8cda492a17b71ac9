package definitions

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// TestEmbeddedAreUpToDate checks that the embedded definitions are those of the repository.
func TestEmbeddedAreUpToDate(t *testing.T) {
	t.Chdir(harness.Root())
	folder := t.TempDir()
	if err := Embed(folder); err != nil {
		t.Fatal(err)
	}
	const data = "tool/definitions/data"
	if entries, err := os.ReadDir(data); err != nil || len(entries) != len(embedded()) {
		t.Errorf("want %d definitions, got %d (%v)", len(embedded()), len(entries), err)
	}
	for name := range embedded() {
		want, err := os.ReadFile(filepath.Join(folder, name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(data, name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(want, got) {
			t.Errorf("%s differs from its source; make generate writes it", name)
		}
	}
}
