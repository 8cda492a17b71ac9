package doctor

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestVisible shows that texts of a cluster cannot make a terminal do something.
func TestVisible(t *testing.T) {
	var out bytes.Buffer
	r := &Report{Installed: true, Findings: []Finding{{State: Problem, Check: "functions", Message: "a\x1b[2Jb", Remedy: "c\u202ed"}}}
	if err := r.Write(&out, Text); err != nil {
		t.Fatal(err)
	}
	want := "problem  functions               a?[2Jb\n                                 Remedy: c?d\n\n1 problem, 0 warnings.\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("report: -want, +got:\n%s", diff)
	}
}
