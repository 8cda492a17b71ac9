package reference

import (
	"fmt"
	"slices"
	"strings"
)

// Markdown is a page about the commands of a program, between an introduction and an appendix.
func Markdown(program, introduction, appendix string, commands []Command) string {
	var out strings.Builder
	fmt.Fprintf(&out, "# The command line\n\n%s", introduction)
	shared := sharedFlags(commands)
	for i := range commands {
		// The introduction is about the program itself.
		if commands[i].Path != "" {
			commands[i].section(&out, program, shared)
		}
	}
	if len(shared) > 0 {
		out.WriteString("\n## Shared flags\n\n")
		for i := range shared {
			out.WriteString(shared[i].item())
		}
	}
	out.WriteString(appendix)
	return out.String()
}

// section about a command. Flags that others have as well are only named.
func (c *Command) section(out *strings.Builder, program string, shared []Flag) {
	fmt.Fprintf(out, "\n## %s\n\n%s\n\n`%s`\n", c.Path, c.Help, c.usage(program))
	if c.Detail != "" {
		fmt.Fprintf(out, "\n```text\n%s\n```\n", strings.TrimRight(c.Detail, "\n"))
	}
	var own, named []string
	for i := range c.Flags {
		if f := &c.Flags[i]; slices.ContainsFunc(shared, f.isSame) {
			named = append(named, "`"+f.Name+"`")
		} else {
			own = append(own, f.item())
		}
	}
	if len(own) > 0 {
		fmt.Fprintf(out, "\n%s", strings.Join(own, ""))
	}
	if len(named) > 0 {
		fmt.Fprintf(out, "\n[Shared flags](#shared-flags): %s.\n", strings.Join(named, ", "))
	}
}

// sharedFlags are those that several commands have, in the order in which they come first. A name stands for one of them.
func sharedFlags(commands []Command) []Flag {
	var all, shared []Flag
	for i := range commands {
		for _, f := range commands[i].Flags {
			isNamed := slices.ContainsFunc(shared, func(other Flag) bool { return other.Name == f.Name })
			if slices.ContainsFunc(all, f.isSame) && !isNamed {
				shared = append(shared, f)
			}
			all = append(all, f)
		}
	}
	return shared
}

// key of what a reader is told about a flag.
func (f *Flag) key() string { return f.spelled() + "\n" + f.describe() }

// isSame reports whether a reader is told the same about another flag.
func (f *Flag) isSame(other Flag) bool { return f.key() == other.key() }

// item of a list of flags.
func (f *Flag) item() string { return fmt.Sprintf("- `%s`: %s\n", f.spelled(), f.describe()) }
