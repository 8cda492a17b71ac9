package check

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// Formats of reports.
const (
	Text  = "text"
	JSON  = "json"
	SARIF = "sarif"
)

// Write the report. Only text has colors.
func (r *Report) Write(out io.Writer, format string, colored bool) error {
	var data []byte
	var err error
	switch format {
	case JSON:
		data, err = indented(r)
	case SARIF:
		data, err = indented(sarifOf(r))
	default:
		data = r.text(colored)
	}
	if err != nil {
		return fmt.Errorf("cannot encode the report: %w", err)
	}
	if _, err := out.Write(data); err != nil {
		return fmt.Errorf("cannot write the report: %w", err)
	}
	return nil
}

func indented(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// Colors of terminals.
const (
	red    = "\x1b[31;1m"
	yellow = "\x1b[33;1m"
	plain  = "\x1b[0m"
)

// text has a line for each finding.
func (r *Report) text(colored bool) []byte {
	var out bytes.Buffer
	for i := range r.Findings {
		f := &r.Findings[i]
		severity := string(f.Severity)
		if colored {
			severity = map[Severity]string{Error: red, Warning: yellow}[f.Severity] + severity + plain
		}
		out.WriteString(f.line(severity) + "\n")
	}
	return out.Bytes()
}

// Summary of the report in one line.
func (r *Report) Summary() string {
	text := fmt.Sprintf("%s checked: %s, %s", count(r.Graphs, "graph"), count(r.Count(Error), "error"), count(r.Count(Warning), "warning"))
	if r.Skipped > 0 {
		text += fmt.Sprintf("; skipped %s of other kinds", count(r.Skipped, "object"))
	}
	return text
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
