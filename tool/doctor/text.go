package doctor

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
)

// Formats of a report.
const (
	Text = "text"
	JSON = "json"
)

// Write the report. Only text has colors.
func (r *Report) Write(out io.Writer, format string, colored bool) error {
	text := r.text(colored)
	if format == JSON {
		var err error
		if text, err = output.JSON(r, "  "); err != nil {
			return errors.Errorf("cannot write the report: %w", err)
		}
	}
	if _, err := io.WriteString(out, text); err != nil {
		return errors.Errorf("cannot write the report: %w", err)
	}
	return nil
}

// text has a line for each check, and what to do below it. It ends with a summary.
func (r *Report) text(colored bool) string {
	colors := map[State]output.Color{OK: output.Green, Warning: output.Yellow, Problem: output.Red}
	out := &bytes.Buffer{}
	for _, f := range r.Findings {
		state := fmt.Sprintf("%-8s", f.State)
		if colored {
			state = colors[f.State].Paint(state)
		}
		fmt.Fprintf(out, "%s %-23s %s\n", state, f.Check, strict.Visible(oneLine(f.Message)))
		if f.Remedy != "" {
			fmt.Fprintf(out, "%-8s %-23s Remedy: %s\n", "", "", strict.Visible(f.Remedy))
		}
	}
	fmt.Fprintf(out, "\n%s\n", r.summary())
	return out.String()
}

// summary of the report.
func (r *Report) summary() string {
	counts := map[State]int{}
	for _, f := range r.Findings {
		counts[f.State]++
	}
	found := output.Count(counts[Problem], string(Problem)) + ", " + output.Count(counts[Warning], string(Warning))
	switch {
	case r.Installed:
		return found + "."
	case counts[Problem] > 0:
		return found + ". Graphs are not installed yet: solve the problems first."
	default:
		return found + ". Graphs are not installed yet: kubectl apply --server-side -f install.yaml"
	}
}

// oneLine is a message of the cluster without line breaks, and not longer than anybody reads.
func oneLine(message string) string {
	const most = 500
	message = strings.Join(strings.Fields(message), " ")
	if runes := []rune(message); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return message
}
