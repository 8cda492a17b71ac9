package api

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// TestRows checks that the rows of the page have each field that has a description, once.
func TestRows(t *testing.T) {
	all, err := Fields(filepath.Join(harness.Root(), Definition))
	if err != nil {
		t.Fatal(err)
	}
	support, err := ReadSupport(".")
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, s := range sectionsOf(rowsOf(all, support)) {
		for _, r := range s.rows {
			for _, path := range r.paths {
				counts[s.title+" "+path]++
			}
		}
	}
	for _, field := range all {
		if field.Description == "" {
			continue
		}
		path, title := strings.TrimPrefix(field.Path, prefixOf(field.Path)), map[string]string{components: "Each component", services: "Each service"}[prefixOf(field.Path)]
		if title == "" {
			title = "The graph"
		}
		got := counts[title+" "+path] + counts["Each component or service "+path]
		if title == "Each service" {
			got += counts["Each component or service "+experimental+path]
		}
		if got != 1 {
			t.Errorf("the page has %s in %d rows, want 1", field.Path, got)
		}
	}
}

// TestPage checks that the page is up to date with the tables and the definition.
func TestPage(t *testing.T) {
	if harness.Update() {
		t.Skip("make generate writes the page that contains the tables")
	}
	fields, err := Fields(filepath.Join(harness.Root(), Definition))
	if err != nil {
		t.Fatal(err)
	}
	support, err := ReadSupport(".")
	if err != nil {
		t.Fatal(err)
	}
	page := harness.File(t, filepath.Join("docs", "api.md"))
	annotations, err := ReadAnnotations(".")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(page), Document(fields, support, annotations)); diff != "" {
		t.Errorf("docs/api.md is not what make generate writes: -page, +want:\n%s", diff)
	}
}
