package check

import (
	"fmt"
	"io"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
)

// Formats of reports.
const (
	Text  = "text"
	JSON  = "json"
	SARIF = "sarif"
)

// Write the report. Only text has colors.
func (r *Report) Write(out io.Writer, format string, colored bool) error {
	var text string
	var err error
	switch format {
	case JSON:
		text, err = output.JSON(r, "  ")
	case SARIF:
		text, err = output.JSON(sarifOf(r), "  ")
	default:
		text = r.text(colored)
	}
	if err != nil {
		return errors.Errorf("cannot write the report: %w", err)
	}
	if _, err := io.WriteString(out, text); err != nil {
		return errors.Errorf("cannot write the report: %w", err)
	}
	return nil
}

// text has a line for each finding.
func (r *Report) text(colored bool) string {
	var out strings.Builder
	for i := range r.Findings {
		f := &r.Findings[i]
		severity := string(f.Severity)
		if colored {
			severity = f.Severity.color().Paint(severity)
		}
		out.WriteString(f.line(severity) + "\n")
	}
	return out.String()
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
