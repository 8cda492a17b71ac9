package reference

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Markdown is a page about the commands of a program, between an introduction and an appendix.
func Markdown(program, introduction, appendix string, app *kong.Application) string {
	var out strings.Builder
	fmt.Fprintf(&out, "# The command line\n\n%s", introduction)
	// The introduction is about the program itself.
	commands := commandsOf(app.Node)[1:]
	shared := sharedFlags(commands)
	for _, node := range commands {
		section(&out, program, node, shared)
	}
	if len(shared) > 0 {
		out.WriteString("\n## Shared flags\n\n")
		for _, f := range shared {
			out.WriteString(f.item())
		}
	}
	out.WriteString(appendix)
	return out.String()
}

// section about a command. Flags that others have as well are only named.
func section(out *strings.Builder, program string, node *kong.Node, shared []flag) {
	fmt.Fprintf(out, "\n## %s\n\n%s\n\n`%s`\n", node.Path(), node.Help, usage(program, node))
	if node.Detail != "" {
		fmt.Fprintf(out, "\n```text\n%s\n```\n", strings.TrimRight(node.Detail, "\n"))
	}
	var own, named []string
	for _, f := range flagsOf(node) {
		if slices.ContainsFunc(shared, f.isSame) {
			named = append(named, "`"+f.name()+"`")
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
func sharedFlags(commands []*kong.Node) []flag {
	var all, shared []flag
	for _, node := range commands {
		for _, f := range flagsOf(node) {
			isNamed := slices.ContainsFunc(shared, func(other flag) bool { return other.Name == f.Name })
			if slices.ContainsFunc(all, f.isSame) && !isNamed {
				shared = append(shared, f)
			}
			all = append(all, f)
		}
	}
	return shared
}

// isSame reports whether a reader is told the same about another flag.
func (f flag) isSame(other flag) bool { return f.item() == other.item() }

// item of a list of flags.
func (f flag) item() string { return fmt.Sprintf("- `%s`: %s\n", f.spelled(), f.describe()) }
