package why

import (
	"bytes"
	"strings"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
)

// TestVisible shows that texts of a cluster, such as messages and logs, cannot make a terminal do something.
func TestVisible(t *testing.T) {
	const evil = "a\x1b[2Jb\r\u202e"
	d := &Diagnosis{
		Graph: evil, Conditions: []Condition{{Type: evil, Status: "False", Reason: evil, Message: evil}},
		Objects:    []*Object{{Kind: "Deployment", Name: evil, Message: evil, Children: []*Object{{Kind: "Pod", Name: evil, Message: evil}}}},
		Components: []Component{{Name: evil, Pods: 1, Problem: evil}},
		Causes:     []Cause{{Code: "Unknown", Message: evil, Next: evil}},
		Log:        &Log{Container: evil, Pod: evil, Lines: []string{evil}},
	}
	var lines, bars, report bytes.Buffer
	if err := (&Progress{Out: &lines}).Show(d); err != nil {
		t.Fatal(err)
	}
	if err := (&Progress{Out: &output.Writer{Out: &bars, Colored: true}}).Show(d); err != nil {
		t.Fatal(err)
	}
	if err := d.Write(&output.Writer{Out: &report, Colored: true}, output.FormatText); err != nil {
		t.Fatal(err)
	}
	painted := report.String()
	for _, sequence := range []string{string(output.Red), string(output.Green), "\x1b[0m"} {
		painted = strings.ReplaceAll(painted, sequence, "")
	}
	for name, got := range map[string]string{"lines": lines.String(), "bars": bars.String(), "report": painted} {
		if got != strict.Visible(got) || !strings.Contains(got, "a?[2Jb") {
			t.Errorf("%s: want nothing that a terminal acts on, got %q", name, got)
		}
	}
}
