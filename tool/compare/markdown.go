package compare

import (
	"fmt"
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
)

// Marker is the first line of a report in Markdown, by which a pipeline finds its comment again.
const Marker = "<!-- configuration-dynamo diff -->"

// markdown is a comment for a pull request: a heading for each graph, a list of what happens, and the fields in a table that unfolds.
func (r *Report) markdown(o Options) string {
	var out strings.Builder
	out.WriteString(Marker + "\n")
	for i := range r.Graphs {
		g := &r.Graphs[i]
		if g.Effect == Nothing && g.Note == "" && len(g.lines()) == 0 {
			// The summary counts it.
			continue
		}
		fmt.Fprintf(&out, "\n### %s: %s\n\n", code(g.Name), g.words())
		if g.Note != "" {
			fmt.Fprintf(&out, "%s\n\n", escaped("Note: "+g.Note))
		}
		lines := g.lines()
		for _, l := range lines {
			fmt.Fprintf(&out, "- **%s**%s\n", escaped(l.name), escaped(l.separated()))
		}
		if o.Fields {
			out.WriteString(tableOf(lines))
		}
	}
	fmt.Fprintf(&out, "\n%s\n", escaped(r.Summary()))
	return out.String()
}

// tableOf the fields of all lines. Empty without fields.
func tableOf(lines []line) string {
	var rows strings.Builder
	n := 0
	for _, l := range lines {
		for _, f := range l.fields {
			n++
			fmt.Fprintf(&rows, "| %s | %s | %s | %s |\n", escaped(l.name), cell(f.Path), valueCell(f.Before), valueCell(f.After))
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("\n<details><summary>%s</summary>\n\n| | field | before | after |\n|---|---|---|---|\n%s\n</details>\n", output.Count(n, "field"), rows.String())
}

func valueCell(value any) string {
	if value == nil {
		return ""
	}
	return cell(shown(value))
}

// cell of a table with code. A bar ends a cell, even in code.
func cell(text string) string { return strings.ReplaceAll(code(text), "|", `\|`) }

// code in a line of Markdown. The fence is longer than every run of backticks in it.
func code(text string) string {
	text = strict.OneLine(strict.Visible(text))
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return fence + text + fence
}

// escaped text: nothing in it is markup, a link, or the name of somebody to be notified.
func escaped(text string) string {
	return strings.NewReplacer(
		"->", "→", `\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", ">", "&gt;", "#", `\#`, "|", `\|`, "@", "@&#8203;",
	).Replace(strict.OneLine(strict.Visible(text)))
}
