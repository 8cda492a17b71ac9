package doctor

import (
	"fmt"
	"io"
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
)

// Write the report. Only text has colors.
func (r *Report) Write(out io.Writer, format string) error {
	return output.Report(out, format, "the report", r, r.text)
}

// text has a line for each check, and what to do below it. It ends with a summary.
func (r *Report) text(w *output.Writer) {
	colors := map[State]output.Color{OK: output.Green, Warning: output.Yellow, Problem: output.Red}
	for _, f := range r.Findings {
		w.Printf("%s %-23s %s\n", colors[f.State].Paint(fmt.Sprintf("%-8s", f.State)), f.Check, oneLine(f.Message))
		if f.Remedy != "" {
			w.Printf("%-8s %-23s Remedy: %s\n", "", "", f.Remedy)
		}
	}
	w.Printf("\n%s\n", r.summary())
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
