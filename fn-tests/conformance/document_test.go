package conformance

import (
	"os"
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
	got, err := os.ReadFile(filepath.Join(harness.Root(), "docs", "differences.md"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("docs/differences.md is not up to date: run make generate\nwant -, got +\n%s", diff)
	}
}

// TestDocument shows how a page combines the tables of two releases.
func TestDocument(t *testing.T) {
	releases := []Release{
		{Name: "2", table: "## S\n# Intro.\na\t3\tBoth: Same.\nb\t0\tNew: Only 2.\nc\t1\tText: Of 2.\n"},
		{Name: "1", table: "## S\n# Intro.\na\t0\tBoth: Same.\nc\t1\tText: Of 1.\n\n## T\n# Intro of T.\nd\t4\tOld: Only 1.\n"},
	}
	got, err := Document(releases)
	if err != nil {
		t.Fatal(err)
	}
	want := preamble + `
## S

Intro.

- **Both.** Same. (2: 3, 1)
- **New.** Only 2. (2)
- **Text.** Of 2. (2: 1)
- **Text.** Of 1. (1: 1)

## T

Intro of T.

- **Old.** Only 1. (1: 4)
` + unsupportedFields()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows with the same reason are one entry with both releases\nwant -, got +\n%s", diff)
	}
	if _, err := Document([]Release{{File: "x", table: "## S\na"}}); err == nil {
		t.Error("a table that cannot be parsed is an error")
	}
}

func TestParseAccepted(t *testing.T) {
	cases := map[string]struct {
		reason string
		file   string
		want   string
	}{
		"RowBeforeSection": {reason: "A row belongs to a section.", file: "a\t1\tA: b", want: "line 1: a row before the first section"},
		"TwoFields":        {reason: "A row has a reason.", file: "## S\na\t1", want: "line 2: want REGEX<TAB>MAX<TAB>reason, got 2 fields"},
		"Pattern":          {reason: "A pattern has to compile.", file: "## S\n(\t1\tA: b", want: "line 2: cannot use the pattern: error parsing regexp: missing closing ): `(`"},
		"Maximum":          {reason: "A maximum is a number.", file: "## S\na\tmany\tA: b", want: `line 2: want a maximum, got "many"`},
		"Title":            {reason: "A reason begins with its title.", file: "## S\na\t1\tbecause", want: `line 2: want a reason of the form "Title: text", got "because"`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := ParseAccepted(tc.file)
			if err == nil {
				t.Fatalf("%s\nwant error %q", tc.reason, tc.want)
			}
			if diff := cmp.Diff(tc.want, err.Error()); diff != "" {
				t.Errorf("%s\nwant -, got +\n%s", tc.reason, diff)
			}
		})
	}
}

func TestCount(t *testing.T) {
	accepted, err := ParseAccepted("# File.\n\n## S\n# Intro.\n^a\t1\tA: x\n^ab\t1\tB: y\n^c\t0\tC: z\nb\t9\tD: w\n")
	if err != nil {
		t.Fatal(err)
	}
	counts, rest := accepted.Count([]string{"ab", "a", "bb", "c", "d"})
	if diff := cmp.Diff([]string{"c", "d"}, rest); diff != "" {
		t.Errorf("the first row that matches takes a leaf, one with 0 none\nwant -, got +\n%s", diff)
	}
	want := "# File.\n\n## S\n# Intro.\n^a\t2\tA: x\n^ab\t0\tB: y\n^c\t0\tC: z\nb\t1\tD: w\n"
	if diff := cmp.Diff(want, accepted.WithMax(counts)); diff != "" {
		t.Errorf("want -, got +\n%s", diff)
	}
}
