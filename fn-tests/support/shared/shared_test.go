package shared

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPath(t *testing.T) {
	folder := t.TempDir()
	t.Setenv(Env, folder)
	t.Setenv(SkippedEnv, "")
	if err := os.WriteFile(filepath.Join(folder, "here"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, want := Path(t, 1, "here"), filepath.Join(folder, "here"); got != want {
		t.Errorf("want %s, got %s", want, got)
	}

	var skipped bool
	t.Run("Absent", func(t *testing.T) {
		t.Cleanup(func() { skipped = t.Skipped() })
		Path(t, 1, "corpus", "INDEX.tsv")
	})
	if !skipped {
		t.Error("want a test skipped that needs what is absent")
	}
}

func TestReadIndex(t *testing.T) {
	cases := map[string]struct {
		reason string
		index  string
		want   []Manifest
		fails  bool
	}{
		"Manifests": {
			reason: "A quote in a reason is a quote.",
			index:  "file\tname\tnamespace\tbackend\tservices\tmultinode\ttopology\tvalid\treason\none\ta\tb\tvllm\t1\tyes\tno\tyes\t\ntwo\ta\tb\tvllm\t1\tyes\t\tno\tunknown field \"x\"\n",
			want:   []Manifest{{Name: "one", Path: "one.yaml", Version: "v1alpha1", Valid: true}, {Name: "two", Path: "two.yaml", Version: "v1alpha1"}},
		},
		"Empty": {
			reason: "An index without manifests would make every test over it pass.",
			index:  "file\tname\tnamespace\tbackend\tservices\tmultinode\ttopology\tvalid\n",
			fails:  true,
		},
		"OtherColumns": {
			reason: "Columns that moved are noticed.",
			index:  "file\tvalid\none\tyes\n",
			fails:  true,
		},
		"Ragged": {
			reason: "A line with fewer columns is noticed.",
			index:  "file\tname\none\n",
			fails:  true,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			path := filepath.Join(folder, "INDEX.tsv")
			if err := os.WriteFile(path, []byte(tc.index), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := readIndex(path)
			if (err != nil) != tc.fails {
				t.Fatalf("%s\nerror: %v", tc.reason, err)
			}
			for i := range tc.want {
				tc.want[i].Path = filepath.Join(folder, tc.want[i].Path)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nwant -, got +\n%s", tc.reason, diff)
			}
		})
	}
}
