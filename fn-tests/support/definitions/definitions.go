// Package definitions contains the CustomResourceDefinitions of the projects that run graphs.
package definitions

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/schema"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
)

// Folder of the definitions of a version of a product, such as lws-v0.10.0: a copy without descriptions, or the shared one if no control
// plane runs with this version. The test is skipped if there is neither.
func Folder(t testing.TB, version string) string {
	t.Helper()
	folder := folderOf(version)
	if _, err := os.Stat(folder); err == nil {
		return folder
	}
	return shared.Path(t, 1, "crds", version)
}

// Platform are the folders with the definitions of all that graphs run on, with a version of Grove such as grove-v0.1.0-alpha.6.
func Platform(grove string) []string {
	var folders []string
	for _, version := range []string{grove, "lws-v0.10.0", "volcano-v1.15.1", "nvidia-dra-v0.4.0", "kai-v0.13.0", "snapshot"} {
		folders = append(folders, folderOf(version))
	}
	return folders
}

func folderOf(version string) string {
	return filepath.Join(harness.Root(), "fn-tests", "support", "definitions", version)
}

// Load the definitions of versions of several products.
func Load(t testing.TB, versions ...string) schema.Set {
	t.Helper()
	var paths []string
	for _, version := range versions {
		found, err := filepath.Glob(filepath.Join(Folder(t, version), "*.yaml"))
		if err != nil || len(found) == 0 {
			t.Fatalf("cannot find the definitions of %s: %v", version, err)
		}
		paths = append(paths, found...)
	}
	set, err := schema.LoadSet(paths...)
	if err != nil {
		t.Fatal(err)
	}
	return set
}
