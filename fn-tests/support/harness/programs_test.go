package harness

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSources checks that the programs are built from nothing in this repository that watchSources does not read.
func TestSources(t *testing.T) {
	WatchSources(t)
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{if and .Module .Module.Main}}{{.Dir}}{{end}}", "./cmd/dgd")
	list.Dir = Root()
	out, err := list.Output()
	if err != nil {
		t.Fatalf("cannot list the packages of the functions: %v", err)
	}
	used := map[string]bool{}
	for folder := range strings.FieldsSeq(string(out)) {
		path, err := filepath.Rel(Root(), folder)
		if err != nil {
			t.Fatal(err)
		}
		source, _, _ := strings.Cut(filepath.ToSlash(path), "/")
		used[source] = true
		if !slices.Contains(sources(), source) {
			t.Errorf("the functions are built from %s, too; add %s to sources", path, source)
		}
	}
	for _, source := range sources() {
		if !used[source] {
			t.Errorf("the functions are built from nothing in %s", source)
		}
	}
}
