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

// A list of manifests is an index with a row for each.
type list struct {
	// path of the index in the folder, with columns that it needs.
	path    string
	columns []string
	// size is the number of rows.
	size int
	// manifest of a row. Its path is one in the folder.
	manifest func(row map[string]string) Manifest
}

func corpus() list {
	return list{path: "corpus/INDEX.tsv", columns: []string{"file", "valid"}, size: 258, manifest: func(row map[string]string) Manifest {
		return Manifest{Name: row["file"], Path: "corpus/" + row["file"] + ".yaml", Version: "v1alpha1", Valid: row["valid"] == "yes"}
	}}
}

// august has the manifests of both versions that the operator of August 2026 was given.
func august() list {
	folders := map[string]string{"v1alpha1": "corpus/", "v1beta1": "corpus/v1beta1/"}
	return list{path: "golden-2026-08/INDEX.tsv", columns: []string{"version", "file", "valid"}, size: 343, manifest: func(row map[string]string) Manifest {
		return Manifest{
			Name: row["file"], Path: folders[row["version"]] + row["file"] + ".yaml", Version: row["version"],
			Valid: row["valid"] == "yes" || row["valid"] == "no-image",
		}
	}}
}

// autumn has the manifests that were published from September to November 2026, for Dynamo 1.5 and what was to become 1.6.
func autumn() list {
	needed := []string{"name", "apiVersion", "valid_upstream"}
	return list{path: "corpus/autumn/INDEX.tsv", columns: needed, size: 45, manifest: func(row map[string]string) Manifest {
		return Manifest{
			Name: row["name"], Path: "corpus/autumn/" + row["name"] + ".yaml", Version: filepath.Base(row["apiVersion"]),
			Valid: row["valid_upstream"] == "yes",
		}
	}}
}

// Corpus returns the v1alpha1 manifests of the corpus, and skips the test where it is absent, and with -short.
func Corpus(t testing.TB) []Manifest { t.Helper(); return corpus().all(t) }

// August returns the manifests of both versions that the operator of August 2026 was given. They are valid where its definition
// accepted them, whatever its admission webhooks said to an image. It skips the test where they are absent, and with -short.
func August(t testing.TB) []Manifest { t.Helper(); return august().all(t) }

// Autumn returns the manifests that were published from September to November 2026. They are valid where upstream takes them. It skips the test
// where they are absent, and with -short.
func Autumn(t testing.TB) []Manifest { t.Helper(); return autumn().all(t) }

// Converted is the folder of what the operator of August 2026 made of the manifests in converting them to a version of the API, one file
// for each manifest of the other version. It skips the test where it is absent, and with -short.
func Converted(t testing.TB, version string) string {
	t.Helper()
	SkipShort(t)
	return Path(t, august().size, "golden-2026-08", "pure-converted-to-"+version)
}

// Manifests are those of Corpus, for what is no test or needs no manifest. It fails where the folder is absent.
func Manifests() ([]Manifest, error) { return corpus().read() }

func (l list) all(t testing.TB) []Manifest {
	t.Helper()
	SkipShort(t)
	Path(t, l.size, "corpus")
	Path(t, l.size, l.path)
	manifests, err := l.read()
	if err != nil {
		t.Fatal(err)
	}
	if len(manifests) != l.size {
		t.Errorf("%s lists %d manifests: change the number in fn-tests/support/shared/shared.go, which is %d", l.path, len(manifests), l.size)
	}
	return manifests
}

func (l list) read() ([]Manifest, error) {
	rows, err := readTable(filepath.Join(folder(), l.path), l.columns...)
	if err != nil {
		return nil, err
	}
	var manifests []Manifest
	for _, row := range rows {
		m := l.manifest(row)
		m.Path = filepath.Join(folder(), m.Path)
		manifests = append(manifests, m)
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
	manifests, err := Manifests()
	if err != nil {
		return nil
	}
	var paths []string
	for i := range min(n, len(manifests)) {
		paths = append(paths, manifests[i*len(manifests)/n].Path)
	}
	return paths
}
