package reference

import (
	"fmt"
	"slices"
	"strings"
)

// Markdown is a page about the commands of a program: those of people first, and then those that servers run.
func Markdown(program, introduction string, commands []Command) string {
	var out strings.Builder
	fmt.Fprintf(&out, "# The command line\n\n%s\n", introduction)
	people, servers := apart(commands)
	shared := sharedFlags(people)
	for i := range people {
		people[i].section(&out, program, shared)
	}
	if len(shared) > 0 {
		out.WriteString("\n## Flags of several commands\n\n| flag | |\n|---|---|\n")
		for i := range shared {
			fmt.Fprintf(&out, "| `%s` | %s |\n", shared[i].spelled(), cell(shared[i].describe()))
		}
	}
	ofServers(&out, servers)
	return out.String()
}

// apart are the commands that people and servers run, without the program itself.
func apart(commands []Command) (people, servers []Command) {
	for i := range commands {
		switch c := commands[i]; {
		case c.Path == "":
		case c.Group == Servers:
			servers = append(servers, c)
		default:
			people = append(people, c)
		}
	}
	return people, servers
}

// section about a command of people. Flags that others have as well are only named.
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
			own = append(own, fmt.Sprintf("| `%s` | %s |\n", f.spelled(), cell(f.describe())))
		}
	}
	if len(own) > 0 {
		fmt.Fprintf(out, "\n| flag | |\n|---|---|\n%s", strings.Join(own, ""))
	}
	if len(named) > 0 {
		fmt.Fprintf(out, "\n[Flags of several commands](#flags-of-several-commands): %s.\n", strings.Join(named, ", "))
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

// ofServers is the section about the commands that servers run, with one table of their flags.
func ofServers(out *strings.Builder, servers []Command) {
	if len(servers) == 0 {
		return
	}
	fmt.Fprintf(out, "\n## %s\n\n", Servers)
	var flags []Flag
	having := map[string][]string{}
	for i := range servers {
		c := &servers[i]
		fmt.Fprintf(out, "- `%s`: %s\n", c.Path, c.Help)
		for _, f := range c.Flags {
			if !slices.ContainsFunc(flags, f.isSame) {
				flags = append(flags, f)
			}
			having[f.key()] = append(having[f.key()], c.Path)
		}
	}
	out.WriteString("\n| flag | of | |\n|---|---|---|\n")
	for i := range flags {
		fmt.Fprintf(out, "| `%s` | %s | %s |\n", flags[i].spelled(), someOf(servers, having[flags[i].key()]), cell(flags[i].describe()))
	}
}

// someOf the commands in words: all of them, all but a few, or a few.
func someOf(commands []Command, paths []string) string {
	var others []string
	for i := range commands {
		if !slices.Contains(paths, commands[i].Path) {
			others = append(others, commands[i].Path)
		}
	}
	switch {
	case len(others) == 0:
		return "all"
	case len(others) < len(paths):
		return "all but `" + strings.Join(others, "`, `") + "`"
	default:
		return "`" + strings.Join(paths, "`, `") + "`"
	}
}

// key of what a reader is told about a flag.
func (f *Flag) key() string { return f.spelled() + "\n" + f.describe() }

// isSame reports whether a reader is told the same about another flag.
func (f *Flag) isSame(other Flag) bool { return f.key() == other.key() }

func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
