package harness

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// File is the content of a file, whose path is relative to the root of the repository or absolute.
func File(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(absolute(path))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Glob are the paths of the files that match a pattern, which is relative to the root of the repository or absolute. There is at least one, because
// a test without cases tests nothing.
func Glob(t testing.TB, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(absolute(pattern))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files match %s: %v", pattern, err)
	}
	return paths
}

func absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(Root(), path)
}

// Walk are the paths in the repository of the files below some of its folders whose names end so. There is at least one.
func Walk(t testing.TB, end string, folders ...string) []string {
	t.Helper()
	var paths []string
	for _, folder := range folders {
		err := fs.WalkDir(os.DirFS(Root()), folder, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() && strings.HasSuffix(path, end) {
				paths = append(paths, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(paths) == 0 {
		t.Fatalf("no files of %v end with %s", folders, end)
	}
	return paths
}
