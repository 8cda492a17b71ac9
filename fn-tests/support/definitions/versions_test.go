package definitions

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/compatibility"
)

// products of the folders, by how their names begin.
func products() map[string]compatibility.Product {
	return map[string]compatibility.Product{
		"grove":      compatibility.Grove,
		"kai":        compatibility.KAI,
		"lws":        compatibility.LeaderWorkerSet,
		"nvidia-dra": compatibility.DRADriver,
		"volcano":    compatibility.Volcano,
	}
}

// TestSupported checks that each version whose definitions are kept works with some release of Dynamo: tests hold objects to these
// definitions, and so does the command line.
func TestSupported(t *testing.T) {
	folders, err := filepath.Glob("*-v*")
	if err != nil || len(folders) == 0 {
		t.Fatalf("want folders of definitions, got none: %v", err)
	}
	for _, folder := range folders {
		i := strings.LastIndex(folder, "-v")
		// A pre-release has a dash of its own, but none before a v.
		name, version := folder[:i], folder[i+1:]
		product, ok := products()[name]
		if !ok {
			t.Errorf("%s: no product is called %s", folder, name)
			continue
		}
		if !slices.ContainsFunc(compatibility.Releases(), func(r compatibility.Release) bool {
			allowed, err := r.Allows(product, version)
			if err != nil {
				t.Errorf("%s: %v", folder, err)
			}
			return allowed
		}) {
			t.Errorf("%s: no release of Dynamo works with %s %s; remove the definitions, or correct package compatibility", folder, product, version)
		}
	}
}

// TestEmbeddedVersions checks that the definitions of other projects that the command line contains are of versions that are kept here.
func TestEmbeddedVersions(t *testing.T) {
	const kept = "fn-tests/support/definitions/"
	for name, source := range embedded() {
		folder, isKept := strings.CutPrefix(filepath.Dir(source.path), kept)
		if !isKept {
			continue
		}
		if i := strings.LastIndex(folder, "-v"); i < 0 || products()[folder[:i]] == "" {
			t.Errorf("%s comes from %s, which has no version of a product", name, folder)
		}
	}
}
