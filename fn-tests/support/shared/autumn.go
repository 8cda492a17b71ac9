package shared

import (
	"fmt"
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
	const version, valid = 1, 9
	index := filepath.Join(folder, "INDEX.tsv")
	records, err := readTable(index)
	if err != nil {
		return nil, err
	}
	if len(records) < 2 || len(records[0]) <= valid || records[0][0] != "name" || records[0][version] != "apiVersion" || records[0][valid] != "valid_upstream" {
		return nil, fmt.Errorf("%s: want columns name, apiVersion and valid_upstream first, second and tenth, and at least one manifest", index)
	}
	var manifests []Manifest
	for _, record := range records[1:] {
		manifests = append(manifests, Manifest{
			Name:    record[0],
			Path:    filepath.Join(folder, record[0]+".yaml"),
			Version: filepath.Base(record[version]),
			Valid:   record[valid] == "yes",
		})
	}
	return manifests, nil
}
