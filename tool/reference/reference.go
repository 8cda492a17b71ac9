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

// commandsOf a program, each before those below it, without hidden ones.
func commandsOf(node *kong.Node) []*kong.Node {
	all := []*kong.Node{node}
	for _, child := range below(node) {
		all = append(all, commandsOf(child)...)
	}
	return all
}

// below a command, without hidden ones.
func below(node *kong.Node) []*kong.Node {
	return slices.DeleteFunc(slices.Clone(node.Children), func(n *kong.Node) bool { return n.Hidden || n.Type != kong.CommandNode })
}

// usage of a command.
func usage(program string, node *kong.Node) string {
	parts := []string{strings.TrimSpace(program + " " + node.Path())}
	if len(below(node)) > 0 {
		parts = append(parts, "COMMAND")
	}
	for _, p := range node.Positional {
		parts = append(parts, p.Summary())
	}
	if len(flagsOf(node)) > 0 {
		parts = append(parts, "[FLAGS]")
	}
	return strings.Join(parts, " ")
}

// flag of a command.
type flag struct{ *kong.Flag }

// flagsOf a command, without hidden ones.
func flagsOf(node *kong.Node) []flag {
	var all []flag
	for _, f := range node.Flags {
		if !f.Hidden {
			all = append(all, flag{f})
		}
	}
	return all
}

// name of the flag, with dashes.
func (f flag) name() string { return "--" + f.Name }

// short is the letter that is short for the flag, with a dash. It is empty if there is none.
func (f flag) short() string {
	if f.Short == 0 {
		return ""
	}
	return "-" + string(f.Short)
}

// value is a placeholder. It is empty if the flag is a switch.
func (f flag) value() string {
	if f.IsBool() {
		return ""
	}
	return cmp.Or(f.PlaceHolder, strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_")))
}

// values that are allowed, if there are few.
func (f flag) values() []string {
	return strings.FieldsFunc(cmp.Or(f.Enum, f.Tag.Get("values")), func(r rune) bool { return r == ',' })
}

// spelled is a flag as it is written.
func (f flag) spelled() string {
	text := f.name()
	if value := f.value(); value != "" {
		text += "=" + value
	}
	if short := f.short(); short != "" {
		text = short + ", " + text
	}
	return text
}

// describe a flag, with its default and its environment variables.
func (f flag) describe() string {
	text := f.Help
	if f.Default != "" {
		text += fmt.Sprintf(" The default is %s.", f.Default)
	}
	if len(f.Envs) > 0 {
		text += fmt.Sprintf(" Set by %s, too.", strings.Join(f.Envs, ", "))
	}
	return text
}
