// Package shared finds what tests need and the repository does not contain: the folder of real manifests and definitions that the project
// is tested against, and programs. A test that needs what is not there is skipped, and says so.
package shared

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// Env names the folder. Without it, it is the folder shared beside the repository.
const Env = "CONFIGURATION_DYNAMO_SHARED"

// size of the corpus: how many v1alpha1 manifests it holds.
const size = 258

// SkipShort skips a test of all manifests in the folder with -short, which is what `make test` runs. `make contract` runs it.
func SkipShort(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("`make contract` tests manifests that are not part of the repository")
	}
}

// Path returns the path of something in the folder, and skips the test, which has this number of cases, where it is absent.
func Path(t testing.TB, cases int, elem ...string) string {
	t.Helper()
	path := filepath.Join(append([]string{folder()}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		Skipf(t, cases, "%s in the folder that %s names", filepath.Join(elem...), Env)
	}
	return path
}

func folder() string {
	if folder := os.Getenv(Env); folder != "" {
		return folder
	}
	// The tests of a package run in its own folder, so only the source file tells where the repository is.
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..", "..", "..", "shared")
}

// Manifest is a real manifest of the corpus.
type Manifest struct {
	// Name of the file without its ending.
	Name string
	// Path of the file.
	Path string
	// Version of the API.
	Version string
	// Valid as judged by the definition that upstream served.
	Valid bool
}

// Corpus returns the v1alpha1 manifests of the corpus, and skips the test where it is absent, and with -short.
func Corpus(t testing.TB) []Manifest {
	t.Helper()
	SkipShort(t)
	manifests, err := readIndex(Path(t, size, "corpus", "INDEX.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	if len(manifests) != size {
		t.Errorf("the corpus has %d manifests: change the number in fn-tests/support/shared/shared.go, which is %d", len(manifests), size)
	}
	return manifests
}

// Manifests are those of Corpus, for what is no test or needs no manifest. It fails where the folder is absent.
func Manifests() ([]Manifest, error) {
	return readIndex(filepath.Join(folder(), "corpus", "INDEX.tsv"))
}

func readIndex(path string) ([]Manifest, error) {
	rows, err := readTable(path, "file", "valid")
	if err != nil {
		return nil, err
	}
	var manifests []Manifest
	for _, row := range rows {
		manifests = append(manifests, Manifest{
			Name:    row["file"],
			Path:    filepath.Join(filepath.Dir(path), row["file"]+".yaml"),
			Version: "v1alpha1",
			Valid:   row["valid"] == "yes",
		})
	}
	return manifests, nil
}

// readTable returns the rows of a file by the names of the columns in its first line, some of which are needed. Columns are separated by tabs.
func readTable(path string, needed ...string) ([]map[string]string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the index of the corpus: %w", err)
	}
	reader := csv.NewReader(bytes.NewReader(data))
	reader.Comma = '\t'
	reader.LazyQuotes = true
	records, err := reader.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", path, err)
	}
	if len(records) < 2 {
		return nil, fmt.Errorf("%s lists no manifest", path)
	}
	for _, column := range needed {
		if !slices.Contains(records[0], column) {
			return nil, fmt.Errorf("%s has no column %s, but %v", path, column, records[0])
		}
	}
	var rows []map[string]string
	for _, record := range records[1:] {
		row := map[string]string{}
		for i, column := range records[0] {
			row[column] = record[i]
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// Sample is the paths of n manifests of the corpus, evenly spread over it; none where it is absent, and with -short.
func Sample(n int) []string {
	if testing.Short() {
		return nil
	}
	manifests, err := readIndex(filepath.Join(folder(), "corpus", "INDEX.tsv"))
	if err != nil {
		return nil
	}
	var paths []string
	for i := range min(n, len(manifests)) {
		paths = append(paths, manifests[i*len(manifests)/n].Path)
	}
	return paths
}
