// Package site checks the static site of the documentation, which hack/site.sh builds.
package site

import (
	"io/fs"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// A group of pages in the list of pages.
type group struct {
	Group string `json:"group"`
	Pages []struct {
		// Path in the repository, and Name in the list.
		Path string `json:"path"`
		Name string `json:"name"`
	} `json:"pages"`
}

func navigation(t *testing.T) []group {
	t.Helper()
	var groups []group
	if err := yaml.UnmarshalStrict(read(t, filepath.Join(harness.Root(), "site", "data", "navigation.yaml")), &groups); err != nil {
		t.Fatal(err)
	}
	return groups
}

// TestNavigation checks that each page is in one group, so that readers find it. No two pages have the same name.
func TestNavigation(t *testing.T) {
	var listed []string
	names := map[string]string{}
	for _, g := range navigation(t) {
		if g.Group == "" || len(g.Pages) == 0 {
			t.Errorf("group %q: want a name, and pages", g.Group)
		}
		for _, p := range g.Pages {
			listed = append(listed, p.Path)
			if other, taken := names[p.Name]; taken || p.Name == "" {
				t.Errorf("%s: want a name of its own, got %q, as %s", p.Path, p.Name, other)
			}
			names[p.Name] = p.Path
		}
	}
	slices.Sort(listed)
	if diff := cmp.Diff(pages(t), listed); diff != "" {
		t.Errorf("site/data/navigation.yaml: -pages of the repository, +pages in groups:\n%s", diff)
	}
}

// pages of the repository, sorted by their paths.
func pages(t *testing.T) []string {
	t.Helper()
	all := []string{"CHANGELOG.md", "CONTRIBUTING.md", "README.md", "SECURITY.md"}
	err := filepath.WalkDir(filepath.Join(harness.Root(), "docs"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".md" {
			return err
		}
		name, err := filepath.Rel(harness.Root(), path)
		all = append(all, filepath.ToSlash(name))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return all
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data := harness.File(t, path)
	return data
}
