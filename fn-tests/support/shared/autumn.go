package shared

import (
	"path/filepath"
	"testing"
)

// autumnSize is how many manifests were published from September to November 2026.
const autumnSize = 45

// Autumn returns the manifests that were published from September to November 2026, for Dynamo 1.5 and what was to become 1.6. They are valid
// where upstream takes them. It skips the test where they are absent, and with -short.
func Autumn(t testing.TB) []Manifest {
	t.Helper()
	SkipShort(t)
	folder := Path(t, autumnSize, "corpus", "autumn")
	manifests, err := readAutumn(folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(manifests) != autumnSize {
		t.Errorf("there are %d manifests: change the number in fn-tests/support/shared/autumn.go, which is %d", len(manifests), autumnSize)
	}
	return manifests
}

func readAutumn(folder string) ([]Manifest, error) {
	rows, err := readTable(filepath.Join(folder, "INDEX.tsv"), "name", "apiVersion", "valid_upstream")
	if err != nil {
		return nil, err
	}
	var manifests []Manifest
	for _, row := range rows {
		manifests = append(manifests, Manifest{
			Name:    row["name"],
			Path:    filepath.Join(folder, row["name"]+".yaml"),
			Version: filepath.Base(row["apiVersion"]),
			Valid:   row["valid_upstream"] == "yes",
		})
	}
	return manifests, nil
}
