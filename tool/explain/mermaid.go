package explain

import (
	"fmt"
	"strings"
)

// mermaid is the picture as a flowchart, which forges show in Markdown.
// https://mermaid.js.org/syntax/flowchart.html
func (p *picture) mermaid() string {
	var out strings.Builder
	fmt.Fprintf(&out, "---\ntitle: %q\n---\nflowchart LR\n", p.title+": "+p.subtitle)
	for _, pill := range p.pills {
		shape := [2]string{"(", ")"}
		if pill.outside {
			shape = [2]string{"([", "])"}
		}
		fmt.Fprintf(&out, "  %s%s\"%s\"%s\n", pill.id, shape[0], mermaidText(append([]string{pill.kind}, pill.lines...)), shape[1])
	}
	for i := range p.boxes {
		p.boxes[i].mermaid(&out, "  ")
	}
	for _, a := range p.arrows {
		fmt.Fprintf(&out, "  %s --> %s\n", a.from, a.to)
	}
	for _, f := range p.flows {
		link := "-->"
		if f.what == flowCache {
			link = "-. " + f.what + " .->"
		}
		fmt.Fprintf(&out, "  %s %s %s\n", strings.Join(f.from, " & "), link, strings.Join(f.to, " & "))
	}
	return out.String()
}

func (b *box) mermaid(out *strings.Builder, indent string) {
	if b.component != nil {
		fmt.Fprintf(out, "%s%s[\"<b>%s</b><br/>%s\"]\n", indent, b.id, mermaidText([]string{b.title}), mermaidText(b.lines))
		return
	}
	fmt.Fprintf(out, "%ssubgraph %s [\"%s\"]\n%s  direction TB\n", indent, b.id, mermaidText([]string{b.title}), indent)
	for i := range b.boxes {
		b.boxes[i].mermaid(out, indent+"  ")
	}
	fmt.Fprintf(out, "%send\n", indent)
}

// mermaidText of lines. Mermaid has entities of its own for what would otherwise be its syntax, or HTML.
func mermaidText(lines []string) string {
	escaped := make([]string, 0, len(lines))
	for _, line := range lines {
		if line != "" {
			escaped = append(escaped, strings.NewReplacer("#", "#35;", `"`, "#quot;", "<", "#lt;", ">", "#gt;", "&", "#amp;", "`", "#96;").Replace(line))
		}
	}
	return strings.Join(escaped, "<br/>")
}
