package shared

import (
	"path/filepath"
	"testing"
)

// augustSize is how many manifests of both versions the operator of August 2026 was given.
const augustSize = 343

// August returns the manifests of both versions that the operator of August 2026 was given. They are valid where its definition
// accepted them, whatever its admission webhooks said to an image. It skips the test where they are absent, and with -short.
func August(t testing.TB) []Manifest {
	t.Helper()
	SkipShort(t)
	manifests, err := readAugust(Path(t, augustSize, "golden-2026-08", "INDEX.tsv"), Path(t, augustSize, "corpus"))
	if err != nil {
		t.Fatal(err)
	}
	if len(manifests) != augustSize {
		t.Errorf("there are %d manifests: change the number in fn-tests/support/shared/august.go, which is %d", len(manifests), augustSize)
	}
	return manifests
}

// Converted is the folder of what the operator of August 2026 made of the manifests in converting them to a version of the API, one file
// for each manifest of the other version. It skips the test where it is absent, and with -short.
func Converted(t testing.TB, version string) string {
	t.Helper()
	SkipShort(t)
	return Path(t, augustSize, "golden-2026-08", "pure-converted-to-"+version)
}

func readAugust(index, corpus string) ([]Manifest, error) {
	rows, err := readTable(index, "version", "file", "valid")
	if err != nil {
		return nil, err
	}
	folders := map[string]string{"v1alpha1": corpus, "v1beta1": filepath.Join(corpus, "v1beta1")}
	var manifests []Manifest
	for _, row := range rows {
		manifests = append(manifests, Manifest{
			Name:    row["file"],
			Path:    filepath.Join(folders[row["version"]], row["file"]+".yaml"),
			Version: row["version"],
			Valid:   row["valid"] == "yes" || row["valid"] == "no-image",
		})
	}
	return manifests, nil
}
