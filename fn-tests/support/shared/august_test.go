package shared

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadAugust(t *testing.T) {
	cases := map[string]struct {
		reason string
		index  string
		want   []Manifest
		fails  bool
	}{
		"Manifests": {
			reason: "A manifest that only lacks an image is valid.",
			index:  "version\tfile\tnamespace\tvalid\nv1alpha1\tone\ta\tno-image\nv1beta1\ttwo\ta\tyes\nv1beta1\tthree\ta\tno\n",
			want: []Manifest{
				{Name: "one", Path: "corpus/one.yaml", Version: "v1alpha1", Valid: true},
				{Name: "two", Path: "corpus/v1beta1/two.yaml", Version: "v1beta1", Valid: true},
				{Name: "three", Path: "corpus/v1beta1/three.yaml", Version: "v1beta1"},
			},
		},
		"OtherColumns": {reason: "Columns that moved are noticed.", index: "file\tvalid\none\tyes\n", fails: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "INDEX.tsv")
			if err := os.WriteFile(path, []byte(tc.index), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := readAugust(path, "corpus")
			if (err != nil) != tc.fails {
				t.Fatalf("%s\nerror: %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nwant -, got +\n%s", tc.reason, diff)
			}
		})
	}
}
