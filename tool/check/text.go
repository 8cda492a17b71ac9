package check

import (
	"fmt"
	"io"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
)

// SARIF is a format of reports that only they have.
const SARIF = "sarif"

// Write the report. Only text has colors.
func (r *Report) Write(out io.Writer, format string) error {
	if format == SARIF {
		return output.Report(out, output.FormatJSON, "the report", sarifOf(r), nil)
	}
	return output.Report(out, format, "the report", r, r.text)
}

// text has a line for each finding.
func (r *Report) text(w *output.Writer) {
	for i := range r.Findings {
		f := &r.Findings[i]
		w.Printf("%s: %s: %s [%s]\n", f.Position, f.Severity.color().Paint(string(f.Severity)), f.Text(), f.Code)
	}
}

func (s Severity) color() output.Color {
	if s == Error {
		return output.Red
	}
	return output.Yellow
}

// Summary of the report in one line.
func (r *Report) Summary() string {
	text := fmt.Sprintf("%s checked: %s, %s",
		output.Count(r.Graphs, "graph"), output.Count(r.Count(Error), "error"), output.Count(r.Count(Warning), "warning"))
	if r.Skipped > 0 {
		text += fmt.Sprintf("; skipped %s of other kinds", output.Count(r.Skipped, "object"))
	}
	return text
}
