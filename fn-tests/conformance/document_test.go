package conformance

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// TestDifferences checks that the page for users is up to date.
func TestDifferences(t *testing.T) {
	want, err := Document(Releases())
	if err != nil {
		t.Fatal(err)
	}
	got := harness.File(t, filepath.Join("docs", "differences.md"))
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("docs/differences.md is not up to date: run make generate\nwant -, got +\n%s", diff)
	}
}

// TestDocument shows that the page has each difference of all releases in exactly one row.
func TestDocument(t *testing.T) {
	releases := []Release{
		{Name: "2", File: "2.tsv", table: "## S\n# Intro.\na\t3\tBoth: Same.\nb\t0\tNew: Only 2.\n"},
		{Name: "1", File: "1.tsv", table: "## S\na\t0\tBoth: Same.\n\n## T\nd\t4\tOld: Only 1.\n"},
	}
	cases := map[string]struct {
		reason, entries, want, fails string
	}{
		"Complete": {
			reason:  "A row stands for one difference or several, also for those of one release alone.",
			entries: "# Of the file.\n\n## U\nBoth; Old\tx\ty\tz\t\n\n## V\nNew\tx\ty\tz\tdo\n",
			want: preamble + "\n## U\n\n| with the operator | here | why, and what to do |\n|---|---|---|\n| x | y | z |\n" +
				"\n## V\n\n| with the operator | here | why, and what to do |\n|---|---|---|\n| x | y | z; do |\n" + unsupportedFields(),
		},
		"Missing": {reason: "A difference that the page lacks is an error.", entries: "Both; New\tx\ty\tz\t\n", fails: `1.tsv has difference "Old", which no row of page.tsv names`},
		"Twice":   {reason: "A difference is in one row.", entries: "Both; New\tx\ty\tz\t\nBoth\tx\ty\tz\t\n", fails: `"Both" is in two rows of the page`},
		"Unknown": {reason: "A difference that is gone leaves the page.", entries: "Both; New; Old; Gone\tx\ty\tz\t\n", fails: `page.tsv names ["Gone"], which no release has`},
		"Cells":   {reason: "A row has all cells.", entries: "Both\tx\ty\n", fails: `want TITLES and 4 cells, got "Both\tx\ty"`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := document(tc.entries, releases)
			if tc.fails == "" != (err == nil) || err != nil && err.Error() != tc.fails {
				t.Fatalf("%s\nwant error %q, got %v", tc.reason, tc.fails, err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nwant -, got +\n%s", tc.reason, diff)
			}
		})
	}
	if _, err := Document([]Release{{File: "x", table: "## S\na"}}); err == nil {
		t.Error("a table that cannot be parsed is an error")
	}
}
