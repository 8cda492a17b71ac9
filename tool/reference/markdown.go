package reference

import (
	"fmt"
	"strings"
)

// Markdown is a page about the commands of a program.
func Markdown(program, introduction string, commands []Command) string {
	var out strings.Builder
	fmt.Fprintf(&out, "# The command line\n\n%s\n", introduction)
	for i := range commands {
		c := &commands[i]
		if c.Path == "" {
			continue
		}
		fmt.Fprintf(&out, "\n## %s\n\n%s\n\n```text\n%s\n```\n", c.Path, c.Help, c.usage(program))
		if c.Detail != "" {
			fmt.Fprintf(&out, "\n```text\n%s\n```\n", strings.TrimRight(c.Detail, "\n"))
		}
		if len(c.Flags) == 0 {
			continue
		}
		out.WriteString("\n| flag | |\n|---|---|\n")
		for j := range c.Flags {
			fmt.Fprintf(&out, "| `%s` | %s |\n", c.Flags[j].spelled(), cell(c.Flags[j].describe()))
		}
	}
	return out.String()
}

func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
