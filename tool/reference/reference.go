// Package reference documents the commands of a program from their definitions: as a page, as manual pages, and for the completion of
// shells.
package reference

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// A Command of the program.
type Command struct {
	// Path of the command, such as adopt check. Empty means the program itself.
	Path string

	Help      string
	Detail    string
	Arguments []string
	Flags     []Flag

	// Commands are the names of the commands below it.
	Commands []string
}

// A Flag of a command.
type Flag struct {
	// Name with dashes, and the letter that is short for it. Empty means that there is none.
	Name, Short string

	// Value is a placeholder. Empty means that the flag is a switch.
	Value string

	// Values that are allowed, if there are few. Open says that the path of a file is one, too.
	Values []string
	Open   bool

	Help string

	// Default and the environment variables that set the flag. Both may be empty.
	Default string
	Envs    []string
}

// Commands of a program, each before those below it, without hidden ones.
func Commands(app *kong.Application) []Command { return subcommands(app.Node, "") }

func subcommands(node *kong.Node, path string) []Command {
	c := Command{Path: path, Help: node.Help, Detail: node.Detail}
	for _, p := range node.Positional {
		c.Arguments = append(c.Arguments, p.Summary())
	}
	for _, f := range node.Flags {
		if !f.Hidden {
			c.Flags = append(c.Flags, flagOf(f))
		}
	}
	commands := []Command{c}
	children := slices.DeleteFunc(slices.Clone(node.Children), func(n *kong.Node) bool { return n.Hidden || n.Type != kong.CommandNode })
	for _, child := range children {
		commands[0].Commands = append(commands[0].Commands, child.Name)
		commands = append(commands, subcommands(child, strings.TrimSpace(path+" "+child.Name))...)
	}
	return commands
}

func flagOf(f *kong.Flag) Flag {
	flag := Flag{Name: "--" + f.Name, Help: f.Help, Envs: f.Envs, Default: f.Default}
	if f.Short != 0 {
		flag.Short = "-" + string(f.Short)
	}
	if f.IsBool() {
		return flag
	}
	flag.Value = f.PlaceHolder
	if values := cmp.Or(f.Enum, f.Tag.Get("values")); values != "" {
		flag.Values, flag.Open = strings.Split(values, ","), f.Enum == ""
	}
	if flag.Value == "" {
		flag.Value = strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
	}
	return flag
}

// usage of a command.
func (c *Command) usage(program string) string {
	parts := []string{program}
	if c.Path != "" {
		parts = append(parts, c.Path)
	}
	if len(c.Commands) > 0 {
		parts = append(parts, "COMMAND")
	}
	parts = append(parts, c.Arguments...)
	if len(c.Flags) > 0 {
		parts = append(parts, "[FLAGS]")
	}
	return strings.Join(parts, " ")
}

// spelled is a flag as it is written.
func (f *Flag) spelled() string {
	text := f.Name
	if f.Value != "" {
		text += "=" + f.Value
	}
	if f.Short != "" {
		text = f.Short + ", " + text
	}
	return text
}

// describe a flag, with its default and its environment variables.
func (f *Flag) describe() string {
	text := f.Help
	if f.Default != "" {
		text += fmt.Sprintf(" The default is %s.", f.Default)
	}
	if len(f.Envs) > 0 {
		text += fmt.Sprintf(" Set by %s, too.", strings.Join(f.Envs, ", "))
	}
	return text
}
