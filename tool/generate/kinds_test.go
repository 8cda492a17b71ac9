package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWriteBetween shows that only what is between the marks is written, and that a file without them stays as it is.
func TestWriteBetween(t *testing.T) {
	path := filepath.Join(t.TempDir(), "role.yaml")
	for given, want := range map[string]string{
		"before\n" + begin + "old\n" + end + "after\n": "before\n" + begin + "new\n" + end + "after\n",
		"before\n" + begin + "old\n":                   "",
		"before\n":                                     "",
	} {
		if err := os.WriteFile(path, []byte(given), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := writeBetween(path, begin, "new\n", end); (err == nil) != (want != "") {
			t.Errorf("writeBetween(...) into %q: got error %v", given, err)
		}
		if want == "" {
			want = given
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("writeBetween(...): -want, +got:\n%s", diff)
		}
	}
}

// TestComment shows that a long purpose has lines that are not too long, and that none of its words is lost.
func TestComment(t *testing.T) {
	text := strings.Repeat("word ", 60)
	got := comment(text)
	for line := range strings.Lines(got) {
		if len(line) > width+1 || !strings.HasPrefix(line, "  # ") {
			t.Errorf("want lines of comments, got %q", line)
		}
	}
	if words := strings.Count(got, "word"); words != 60 {
		t.Errorf("want 60 words, got %d", words)
	}
}

// TestTenants shows that the page on tenants says of each composed kind what the table of kinds says that it reaches.
func TestTenants(t *testing.T) {
	page, err := os.ReadFile("../../docs/tenancy.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), pageBegin)
	got, _, _ := strings.Cut(rest, pageEnd)
	if diff := cmp.Diff(ofTenants(), got); diff != "" {
		t.Errorf("docs/tenancy.md is not what make generate writes: -want, +got:\n%s", diff)
	}
}
