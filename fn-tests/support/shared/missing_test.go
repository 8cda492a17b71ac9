package shared

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSkip checks that tests are skipped, and that each says so in a line of its own.
func TestSkip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "skipped")
	t.Setenv(SkippedEnv, path)
	for _, name := range []string{"Manifests", "Program"} {
		skipped := false
		t.Run(name, func(t *testing.T) {
			t.Cleanup(func() { skipped = t.Skipped() })
			Skipf(t, 7, "%s of the world", name)
		})
		if !skipped {
			t.Errorf("%s: want it skipped", name)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := "7\tfn-tests/support/shared TestSkip/Manifests needs Manifests of the world\n7\tfn-tests/support/shared TestSkip/Program needs Program of the world\n"
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("lines of %s: -want, +got:\n%s", SkippedEnv, diff)
	}
}
