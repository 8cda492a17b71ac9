// Package site checks the static site of the documentation, which hack/site.sh builds.
package site

import (
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
	if err := yaml.UnmarshalStrict(harness.File(t, "site/data/navigation.yaml"), &groups); err != nil {
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
	all := append(harness.Walk(t, ".md", "docs"), "CHANGELOG.md", "CONTRIBUTING.md", "README.md", "SECURITY.md")
	slices.Sort(all)
	return all
}
