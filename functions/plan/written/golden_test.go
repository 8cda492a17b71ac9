package written

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

const golden = "testdata/hashes.tsv"

// TestGolden pins the hashes. They are stored in clusters: one that changes with a release replaces the pods of all graphs like
// it. So a row that is there never changes, not even where golden files are written anew.
func TestGolden(t *testing.T) {
	pinned, err := os.ReadFile(golden)
	if err != nil && !harness.Update() {
		t.Fatalf("cannot read %s (%s=1 writes it): %v", golden, harness.UpdateEnv, err)
	}
	rows := map[string]string{}
	for _, m := range manifests(t) {
		encoded, err := json.Marshal(m.object)
		if err != nil {
			t.Fatal(err)
		}
		digest := sha256.Sum256(encoded)
		for _, format := range Current() {
			for component, written := range hashesIn(t, m.object, Formats{format}) {
				if written == "" {
					continue
				}
				hash := strings.TrimPrefix(string(written), fmt.Sprintf("%d:", format.Number))
				rows[fmt.Sprintf("%d\t%s\t%s\t%s", format.Number, m.name, hex.EncodeToString(digest[:4]), component)] = hash
			}
		}
	}
	for line := range strings.Lines(string(pinned)) {
		row := strings.TrimSuffix(line, "\n")
		end := strings.LastIndex(row, "\t")
		if hash, ok := rows[row[:max(end, 0)]]; ok && hash != row[end+1:] {
			t.Errorf("%s: is %s now. Clusters hold hashes of this format, and each live graph like this one would get other pods with the next release, "+
				"although its user changed nothing. Undo what changed the encoding. If it must change, add a format to Current", row, hash)
		}
	}
	if t.Failed() {
		return
	}
	var text strings.Builder
	text.WriteString("# Format, manifest, digest of the manifest, service, and hash. " + harness.UpdateEnv + "=1 adds rows.\n")
	for _, row := range slices.Sorted(maps.Keys(rows)) {
		text.WriteString(row + "\t" + rows[row] + "\n")
	}
	harness.Golden(t, golden, []byte(text.String()))
}

// TestDeterministic shows that the order of maps does not matter.
func TestDeterministic(t *testing.T) {
	for _, m := range manifests(t) {
		want := hashesOf(t, m.object)
		for range 20 {
			if diff := cmp.Diff(want, hashesOf(t, m.object)); diff != "" {
				t.Fatalf("%s: one graph has two hashes: -first, +second:\n%s", m.name, diff)
			}
		}
	}
}
