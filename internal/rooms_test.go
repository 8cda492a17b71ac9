// Package internal_test holds what the steps share to the rooms of docs/design.md.
package internal_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const module = "github.com/dynamo-crossplane/configuration-dynamo/"

// roomRow is a row of the table of rooms.
var roomRow = regexp.MustCompile("(?m)^\\| `internal/([a-z]+)` \\| ")

// rooms of the page on the design, each above those that may import it.
func rooms(t *testing.T) []string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "docs", "design.md"))
	if err != nil {
		t.Fatal(err)
	}
	table, _, _ := strings.Cut(string(page), "\n## The flow")
	var names []string
	for _, row := range roomRow.FindAllStringSubmatch(table, -1) {
		names = append(names, row[1])
	}
	return names
}

// TestRooms checks that each folder has its row.
func TestRooms(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var folders []string
	for _, entry := range entries {
		if entry.IsDir() {
			folders = append(folders, entry.Name())
		}
	}
	if diff := cmp.Diff(folders, slices.Sorted(slices.Values(rooms(t)))); diff != "" {
		t.Errorf("rooms: -folders, +docs/design.md:\n%s", diff)
	}
}

// TestArrows checks that a room imports only rooms above it, and nothing of the steps and the programs. Tests may import what they like.
func TestArrows(t *testing.T) {
	order := rooms(t)
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		room, _, _ := strings.Cut(filepath.ToSlash(path), "/")
		for _, i := range file.Imports {
			imported, _ := strconv.Unquote(i.Path.Value)
			if !mayImport(order, room, imported) {
				t.Errorf("%s imports %s, which is not above its room", path, imported)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func mayImport(order []string, room, path string) bool {
	path, isOurs := strings.CutPrefix(path, module)
	if !isOurs || strings.HasPrefix(path, "apis/") {
		return true
	}
	path, isRoom := strings.CutPrefix(path, "internal/")
	other, _, _ := strings.Cut(path, "/")
	return isRoom && slices.Index(order, other) <= slices.Index(order, room)
}
