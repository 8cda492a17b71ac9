package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/admission"
)

// TestGenerated checks that the policies that users install, which fn-tests/platform evaluates, are those that are described here.
func TestPolicies(t *testing.T) {
	folder := t.TempDir()
	for _, manifest := range admission.Manifests() {
		t.Run(manifest.Name, func(t *testing.T) {
			if err := writePolicy(folder, manifest); err != nil {
				t.Fatal(err)
			}
			got := read(t, filepath.Join(folder, manifest.Name))
			if diff := cmp.Diff(read(t, filepath.Join(harness.Root(), "package", "admission", manifest.Name)), got); diff != "" {
				t.Errorf("package/admission/%s: -want, +got (make generate writes it):\n%s", manifest.Name, diff)
			}
		})
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Clean(path))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
