package compare

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/kinds"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/check"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
)

// Markdown is a format of reports that only they have.
const Markdown = "markdown"

// A Report on graphs.
type Report struct {
	Graphs []Graph `json:"graphs"`

	// Skipped is the number of other objects and documents.
	Skipped int `json:"skipped"`
}

// Sort the graphs by importance.
func (r *Report) Sort() {
	slices.SortFunc(r.Graphs, func(a, b Graph) int { return cmp.Or(a.Effect.compareTo(b.Effect), strings.Compare(a.Name, b.Name)) })
}

// Count the graphs with an effect.
func (r *Report) Count(v Effect) int {
	n := 0
	for i := range r.Graphs {
		if r.Graphs[i].Effect == v {
			n++
		}
	}
	return n
}

// Unasked reports whether pods restart that spec.restart does not ask for.
func (r *Report) Unasked() bool {
	return slices.ContainsFunc(r.Graphs, func(g Graph) bool { return g.Unasked })
}

// Options of a report for people.
type Options struct {
	// Fields shows the fields that change.
	Fields bool

	// Impact shows a line for each graph, unless fields are shown.
	Impact bool
}

// Write the report.
func (r *Report) Write(out io.Writer, format string, o Options) error {
	return output.Report(out, format, "the report", r, func(w *output.Writer) {
		switch {
		case format == Markdown:
			_, _ = io.WriteString(w, r.markdown(o)) // The writer keeps the error.
		case o.Impact && !o.Fields:
			r.impact(w)
		default:
			r.text(w, o)
		}
	})
}

// Summary of the report in one line.
func (r *Report) Summary() string {
	var parts []string
	for _, v := range Effects() {
		if n := r.Count(v); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v.ofGraphs()))
		}
	}
	text := fmt.Sprintf("%s compared: %s", output.Count(len(r.Graphs), "graph"), strings.Join(parts, ", "))
	if r.Skipped > 0 {
		text += fmt.Sprintf("; skipped %s of other kinds", output.Count(r.Skipped, "object"))
	}
	return text
}

// ofGraphs is the effect in the summary.
func (v Effect) ofGraphs() string {
	switch v {
	case Restarts:
		return "with restarts"
	case Scales:
		return "scaled"
	case Nothing:
		return "without a change"
	default:
		return string(v)
	}
}

// words of the effect on a graph.
func (g *Graph) words() string {
	switch g.Effect {
	case Refused:
		if len(g.Refusals) == 0 {
			return "is refused in part"
		}
		return "is refused, and nothing changes"
	case Restarts:
		return "pods restart"
	case Scales:
		return "scales, no pod restarts"
	case Changed:
		return "changes, no pod restarts"
	case Nothing:
		return "nothing changes"
	default:
		return "is " + string(g.Effect)
	}
}

// A line of a report.
type line struct {
	effect Effect
	// name of what it is about, and what happens to it.
	name, text string
	fields     []Field
}

// lines about everything in a graph that matters, in the order of importance.
func (g *Graph) lines() []line {
	var all []line
	for i := range g.Refusals {
		all = append(all, lineOf(&g.Refusals[i], Refused, "refused"))
	}
	for i := range g.Components {
		if c := &g.Components[i]; c.Effect != Nothing {
			all = append(all, line{effect: c.Effect, name: c.Name, text: c.Text, fields: c.Fields})
		}
	}
	for i := range g.Objects {
		if o := &g.Objects[i]; o.Effect != Nothing && !g.isTold(o) {
			all = append(all, line{effect: o.Effect, name: shortKind(o.Kind) + " " + o.Name, text: o.Text, fields: o.Fields})
		}
	}
	slices.SortStableFunc(all, func(a, b line) int { return a.effect.compareTo(b.effect) })
	for i := range g.Warnings {
		all = append(all, lineOf(&g.Warnings[i], Changed, "warning"))
	}
	return all
}

// lineOf a finding.
func lineOf(f *check.Finding, v Effect, name string) line {
	where := ""
	if f.Line > 0 {
		where = " at " + f.String()
	}
	return line{effect: v, name: name, text: fmt.Sprintf("%s [%s]%s", f.Text(), f.Code, where)}
}

// isTold reports whether what happens to an object is part of what happens to a component, or to the whole graph.
func (g *Graph) isTold(o *Object) bool {
	if o.Effect != Created && o.Effect != Deleted || o.Kind == kindClaim {
		return false
	}
	whole := g.Effect == Created || g.Effect == Deleted
	return whole || kinds.Named(o.Kind).Pods != kinds.NoPods || o.Kind == "PodGroup"
}

// shortKind is a kind as people say it.
func shortKind(kind string) string {
	if kind == kindClaim {
		return "PVC"
	}
	return kind
}
