package explain

import (
	"fmt"
	"strings"
)

// dot is the picture in the language of Graphviz.
// https://graphviz.org/doc/info/lang.html
func (p *picture) dot() string {
	var out strings.Builder
	fmt.Fprintf(&out, "digraph %s {\n", quoted(p.title))
	fmt.Fprintf(&out, "  graph [rankdir=LR, compound=true, labelloc=t, fontname=\"Helvetica\", label=%s];\n", quoted(p.title, p.subtitle))
	out.WriteString("  node [shape=box, style=\"rounded,filled\", fillcolor=white, fontname=\"Helvetica\", fontsize=11];\n")
	for _, pill := range p.pills {
		fill := fillService
		if pill.outside {
			fill = fillRoute
		}
		fmt.Fprintf(&out, "  %s [fillcolor=%q, label=%s];\n", pill.id, fill, quoted(append([]string{pill.kind}, pill.lines...)...))
	}
	for i := range p.boxes {
		p.boxes[i].dot(&out, "  ")
	}
	for _, a := range p.arrows {
		fmt.Fprintf(&out, "  %s -> %s;\n", a.from, a.to)
	}
	for _, f := range p.flows {
		style := ""
		if f.what == flowCache {
			style = fmt.Sprintf(" [style=dashed, fontname=\"Helvetica\", fontsize=11, label=%s]", quoted(f.what))
		}
		fmt.Fprintf(&out, "  {%s} -> {%s}%s;\n", strings.Join(f.from, " "), strings.Join(f.to, " "), style)
	}
	out.WriteString("}\n")
	return out.String()
}

func (b *box) dot(out *strings.Builder, indent string) {
	if b.component != nil {
		fmt.Fprintf(out, "%s%s [label=%s];\n", indent, b.id, quoted(append([]string{b.title}, b.lines...)...))
		return
	}
	// Graphviz only draws a subgraph as a box if its name begins like this.
	fmt.Fprintf(out, "%ssubgraph cluster_%s {\n", indent, b.id)
	fmt.Fprintf(out, "%s  graph [fontsize=11, label=%s, style=\"rounded,dashed\", color=%q];\n", indent, quoted(b.title), strokeOf(b.look))
	for i := range b.boxes {
		b.boxes[i].dot(out, indent+"  ")
	}
	out.WriteString(indent + "}\n")
}

// quoted lines as one string.
func quoted(lines ...string) string {
	var escaped []string
	for _, line := range lines {
		if line != "" {
			escaped = append(escaped, strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(line))
		}
	}
	return `"` + strings.Join(escaped, `\n`) + `"`
}
