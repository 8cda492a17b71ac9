package doctor

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

func TestWrite(t *testing.T) {
	found := &Report{Installed: true, Findings: []Finding{
		{Check: "grove", State: OK, Message: "Grove is fine."},
		{Check: "functions", State: Problem, Message: "It says:\n  no.", Remedy: "kubectl describe function"},
		{Check: "kai", State: Skipped, Message: "You may not list a.", Forbidden: &preview.ForbiddenError{Verb: "list", Resource: "a"}},
	}}
	const text = `ok       grove                   Grove is fine.
problem  functions               It says: no.
                                 Remedy: kubectl describe function
skipped  kai                     You may not list a.

`
	cases := map[string]struct {
		reason  string
		report  Report
		format  string
		colored bool
		want    string
	}{
		"Text":   {reason: "Each check has a line, and the remedy is below it.", report: *found, format: output.FormatText, want: text + "1 problem, 0 warnings.\n"},
		"Before": {reason: "Before the installation, the next command is said.", report: Report{}, format: output.FormatText, want: "\n0 problems, 0 warnings. Graphs are not installed yet: kubectl apply --server-side -f install.yaml\n"},
		"Broken": {reason: "Problems come before the installation.", report: Report{Findings: found.Findings}, format: output.FormatText, want: text + "1 problem, 0 warnings. Graphs are not installed yet: solve the problems first.\n"},
		"Colors": {
			reason: "At a terminal, states have colors.", report: Report{Installed: true, Findings: found.Findings[:1]}, format: output.FormatText, colored: true,
			want: "\x1b[32mok      \x1b[0m grove                   Grove is fine.\n\n0 problems, 0 warnings.\n",
		},
		"JSON": {
			reason: "Other programs read JSON.", report: Report{Installed: true, Findings: found.Findings[1:]}, format: output.FormatJSON,
			want: `{
  "installed": true,
  "findings": [
    {
      "check": "functions",
      "state": "problem",
      "message": "It says:\n  no.",
      "remedy": "kubectl describe function"
    },
    {
      "check": "kai",
      "state": "skipped",
      "message": "You may not list a.",
      "forbidden": {
        "verb": "list",
        "resource": "a"
      }
    }
  ]
}
`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := tc.report.Write(&output.Writer{Out: &out, Colored: tc.colored}, tc.format); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, out.String()); diff != "" {
				t.Errorf("%s\nWrite(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
	if err := found.Write(full{}, output.FormatText); err == nil {
		t.Error("want an error where nothing can be written")
	}
}

// full is where nothing can be written.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// TestOneLine checks that what others write does not break the table.
func TestOneLine(t *testing.T) {
	if got := oneLine(strings.Repeat("é", 600)); got != strings.Repeat("é", 500)+"..." {
		t.Errorf("want 500 characters, got %d bytes", len(got))
	}
}
