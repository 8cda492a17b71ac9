package shared

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadTable(t *testing.T) {
	cases := map[string]struct {
		reason string
		index  string
		want   []map[string]string
		fails  bool
	}{
		"Manifests": {
			reason: "A quote in a reason is a quote.", index: "file\tvalid\treason\none\tno\tunknown field \"x\"\n",
			want: []map[string]string{{"file": "one", "valid": "no", "reason": "unknown field \"x\""}},
		},
		"Empty":        {reason: "An index without manifests would make every test of them pass.", index: "file\tvalid\n", fails: true},
		"OtherColumns": {reason: "Columns with other names are noticed.", index: "name\tvalid\none\tyes\n", fails: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "INDEX.tsv")
			if err := os.WriteFile(path, []byte(tc.index), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := readTable(path, "file", "valid")
			if (err != nil) != tc.fails {
				t.Fatalf("%s\nerror: %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nreadTable(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
