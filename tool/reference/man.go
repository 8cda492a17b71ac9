package reference

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// Man are the manual pages of a program, by the names of their files, in which words are separated with dashes.
func Man(program, release string, app *kong.Application) map[string]string {
	pages := map[string]string{}
	for _, node := range commandsOf(app.Node) {
		name := strings.ReplaceAll(strings.TrimSpace(program+" "+node.Path()), " ", "-")
		pages[name+".1"] = man(program, name, release, node)
	}
	return pages
}

func man(program, name, release string, node *kong.Node) string {
	var out strings.Builder
	fmt.Fprintf(&out, ".TH %q 1 \"\" %q\n.SH NAME\n%s \\- %s\n", strings.ToUpper(name), "configuration-dynamo "+release, roff(name), roff(node.Help))
	fmt.Fprintf(&out, ".SH SYNOPSIS\n.B %s\n", roff(usage(program, node)))
	if node.Detail != "" {
		fmt.Fprintf(&out, ".SH DESCRIPTION\n.nf\n%s\n.fi\n", roff(strings.TrimRight(node.Detail, "\n")))
	}
	for i, f := range flagsOf(node) {
		if i == 0 {
			out.WriteString(".SH OPTIONS\n")
		}
		fmt.Fprintf(&out, ".TP\n.B %s\n%s\n", roff(f.spelled()), roff(f.describe()))
	}
	var others []string
	for _, child := range below(node) {
		others = append(others, fmt.Sprintf(".BR %s (1)", roff(name+"-"+child.Name)))
	}
	if len(others) > 0 {
		fmt.Fprintf(&out, ".SH SEE ALSO\n%s\n", strings.Join(others, ",\n"))
	}
	return out.String()
}

// roff escapes what would be a request or an escape, and keeps dashes as they are typed.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
