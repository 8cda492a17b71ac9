package shared

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadAutumn(t *testing.T) {
	const columns = "name\tapiVersion\ta\tb\tc\td\te\tf\tg\tvalid_upstream\twhy\n"
	cases := map[string]struct {
		reason string
		text   string
		want   func(folder string) []Manifest
	}{
		"Manifests": {
			reason: "A manifest is valid if upstream takes it for certain.",
			text:   columns + "a\tnvidia.com/v1beta1\t\t\t\t\t\t\t\tyes\t\nb\tnvidia.com/v1alpha1\t\t\t\t\t\t\t\tunknown\t\n",
			want: func(folder string) []Manifest {
				return []Manifest{
					{Name: "a", Path: filepath.Join(folder, "a.yaml"), Version: "v1beta1", Valid: true},
					{Name: "b", Path: filepath.Join(folder, "b.yaml"), Version: "v1alpha1"},
				}
			},
		},
		"Columns": {reason: "Other columns are not those of this index.", text: "name\tversion\na\tb\n"},
		"Empty":   {reason: "An index without manifests tests nothing.", text: columns},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			if err := os.WriteFile(filepath.Join(folder, "INDEX.tsv"), []byte(tc.text), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := readAutumn(folder)
			if (err != nil) != (tc.want == nil) {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if tc.want == nil {
				return
			}
			if diff := cmp.Diff(tc.want(folder), got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
