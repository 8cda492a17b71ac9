package reference

import (
	"fmt"
	"strings"
)

// Man are the manual pages of a program, by the names of their files, in which words are separated with dashes.
func Man(program, release string, commands []Command) map[string]string {
	pages := make(map[string]string, len(commands))
	for i := range commands {
		c := &commands[i]
		name := strings.ReplaceAll(strings.TrimSpace(program+" "+c.Path), " ", "-")
		pages[name+".1"] = c.man(program, name, release)
	}
	return pages
}

func (c *Command) man(program, name, release string) string {
	var out strings.Builder
	fmt.Fprintf(&out, ".TH %q 1 \"\" %q\n.SH NAME\n%s \\- %s\n", strings.ToUpper(name), "configuration-dynamo "+release, roff(name), roff(c.Help))
	fmt.Fprintf(&out, ".SH SYNOPSIS\n.B %s\n", roff(c.usage(program)))
	if c.Detail != "" {
		fmt.Fprintf(&out, ".SH DESCRIPTION\n.nf\n%s\n.fi\n", roff(strings.TrimRight(c.Detail, "\n")))
	}
	if len(c.Flags) > 0 {
		out.WriteString(".SH OPTIONS\n")
		for i := range c.Flags {
			fmt.Fprintf(&out, ".TP\n.B %s\n%s\n", roff(c.Flags[i].spelled()), roff(c.Flags[i].describe()))
		}
	}
	if len(c.Commands) > 0 {
		out.WriteString(".SH SEE ALSO\n")
		for i, subcommand := range c.Commands {
			comma := ","
			if i == len(c.Commands)-1 {
				comma = ""
			}
			fmt.Fprintf(&out, ".BR %s (1)%s\n", roff(name+"-"+subcommand), comma)
		}
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
