package packages

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestChanges checks the files about changes since the last release.
func TestChanges(t *testing.T) {
	if _, message, err := script(t, "hack/changelog.sh", "-n"); err != nil {
		t.Errorf("%v: %s", err, message)
	}
}

// TestChangelog collects the changes of a release.
func TestChangelog(t *testing.T) {
	const before = "# Changelog\n\nThe changes in each version.\n\n## v0.1.0\n\nThe first version.\n"
	cases := map[string]struct {
		reason  string
		version string
		changes map[string]string
		want    string
		fails   string
	}{
		"Sections": {
			reason:  "The sections come in the order in which readers need them, and changes in the order of their names.",
			version: "v0.2.0",
			changes: map[string]string{
				"b.added.md": "- A thing\n  of two lines.\n- Another.\n", "a.added.md": "- First.\n", "c.running-graphs.md": "- Restart it.\n", "a.fixed.md": "- Fixed.\n",
			},
			want: "# Changelog\n\nThe changes in each version.\n\n## v0.2.0\n\n### Running graphs\n\n- Restart it.\n\n" +
				"### Added\n\n- First.\n- A thing\n  of two lines.\n- Another.\n\n### Fixed\n\n- Fixed.\n\n## v0.1.0\n\nThe first version.\n",
		},
		"Checked": {
			reason:  "A check changes nothing.",
			version: "-n",
			changes: map[string]string{"a.added.md": "- First.\n"},
			want:    before,
		},
		"Section": {
			reason:  "A section that does not exist would be lost.",
			version: "-n",
			changes: map[string]string{"a.add.md": "- First.\n"},
			want:    before,
			fails:   "changelog.d/a.add.md: want a name such as",
		},
		"NoItem": {
			reason:  "Text without a dash would be part of the item before it.",
			version: "-n",
			changes: map[string]string{"a.added.md": "First.\n"},
			want:    before,
			fails:   "changelog.d/a.added.md: want list items",
		},
		"Empty": {
			reason:  "A file without a change is a mistake.",
			version: "-n",
			changes: map[string]string{"a.added.md": ""},
			want:    before,
			fails:   "changelog.d/a.added.md: want list items",
		},
		"None": {
			reason:  "A release has changes.",
			version: "v0.2.0",
			want:    before,
			fails:   "changelog.d has no changes",
		},
		"Twice": {
			reason:  "A version is released once.",
			version: "v0.1.0",
			changes: map[string]string{"a.added.md": "- First.\n"},
			want:    before,
			fails:   `has a section "## v0.1.0" already`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			if err := os.Mkdir(filepath.Join(folder, "changelog.d"), 0o700); err != nil {
				t.Fatal(err)
			}
			files := map[string]string{"CHANGELOG.md": before}
			for file, text := range tc.changes {
				files["changelog.d/"+file] = text
			}
			for file, text := range files {
				if err := os.WriteFile(filepath.Join(folder, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			_, message, err := script(t, "hack/changelog.sh", tc.version, folder)
			if (err != nil) != (tc.fails != "") || !strings.Contains(message, tc.fails) {
				t.Errorf("%s\nwant error %q, got %v: %s", tc.reason, tc.fails, err, message)
			}
			got, err := os.ReadFile(filepath.Join(folder, "CHANGELOG.md"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, string(got)); diff != "" {
				t.Errorf("%s\nCHANGELOG.md: -want, +got:\n%s", tc.reason, diff)
			}
			left, err := filepath.Glob(filepath.Join(folder, "changelog.d", "*"))
			if err != nil {
				t.Fatal(err)
			}
			if collected := tc.fails == "" && tc.version != "-n"; collected != (len(left) == 0 && len(tc.changes) > 0) {
				t.Errorf("%s\nwant changes deleted: %t, left: %v", tc.reason, collected, left)
			}
		})
	}
}
