package harness

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// UpdateEnv is the environment variable that makes tests write golden files instead of comparing with them, if it is 1.
const UpdateEnv = "CONFIGURATION_DYNAMO_UPDATE"

// Update reports whether golden files are to be written.
func Update() bool { return os.Getenv(UpdateEnv) == "1" }

// Accepts reports whether an environment variable, set to 1, accepts what must not be written beside other golden files. Golden then writes the
// files of the test.
func Accepts(t testing.TB, env string) bool {
	t.Helper()
	if os.Getenv(env) != "1" {
		return false
	}
	t.Setenv(UpdateEnv, "1")
	return true
}

// Golden compares with a golden file.
func Golden(t testing.TB, path string, got []byte) {
	t.Helper()
	if Update() {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("cannot read the golden file (%s=1 writes it): %v", UpdateEnv, err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s: -want, +got (%s=1 writes it, if the change is meant):\n%s", path, UpdateEnv, diff)
	}
}
