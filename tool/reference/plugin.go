package reference

import (
	"fmt"
	"strings"
)

// Directives to kubectl and to the scripts of Completion, which tell them what to do with candidates.
// https://github.com/spf13/cobra/blob/v1.10.1/completions.go
const (
	directiveNoSpace     = 2
	directiveNoFiles     = 4
	directiveFilesIfNone = 0
)

// Candidates for the last of the words that follow the name of a program, in the form in which kubectl reads those of a plugin: one in a line,
// with what it does, and a directive in the last line.
func Candidates(commands []Command, words []string) string {
	last, before := "", words
	if len(words) > 0 {
		last, before = words[len(words)-1], words[:len(words)-1]
	}
	offered, directive := offers(commands, last, before)
	var out strings.Builder
	for _, word := range offered {
		if strings.HasPrefix(word, last) {
			out.WriteString(word + "\n")
		}
	}
	return fmt.Sprintf("%s:%d\n", out.String(), directive)
}

// offers for a word after others: values of a flag, flags, or commands.
func offers(commands []Command, last string, before []string) (offered []string, directive int) {
	c := commandOf(commands, before)
	var flag *Flag
	if len(before) > 0 {
		flag = c.flag(before[len(before)-1])
	}
	name, _, isValue := strings.Cut(last, "=")
	switch {
	case isValue && strings.HasPrefix(last, "-"):
		f := c.flag(name)
		if f == nil {
			return nil, directiveFilesIfNone
		}
		for _, value := range f.Values {
			offered = append(offered, name+"="+value)
		}
		return offered, f.files()
	case strings.HasPrefix(last, "-"):
		return c.flags(), directiveNoSpace | directiveNoFiles
	case flag != nil && flag.Value != "":
		return flag.Values, flag.files()
	}
	for _, subcommand := range c.Commands {
		offered = append(offered, subcommand+"\t"+helpOf(commands, strings.TrimSpace(c.Path+" "+subcommand)))
	}
	if len(c.Arguments) == 0 {
		return offered, directiveNoFiles
	}
	return offered, directiveFilesIfNone
}

// files says whether the value of a flag may be the path of a file.
func (f *Flag) files() int {
	if len(f.Values) > 0 && !f.Open {
		return directiveNoFiles
	}
	return directiveFilesIfNone
}

// flags of a command with what they do. A value follows its flag without a space.
func (c *Command) flags() []string {
	var all []string
	for i := range c.Flags {
		name := c.Flags[i].Name
		if c.Flags[i].Value != "" {
			name += "="
		}
		all = append(all, name+"\t"+c.Flags[i].Help)
	}
	return all
}

func helpOf(commands []Command, path string) string {
	for i := range commands {
		if commands[i].Path == path {
			return commands[i].Help
		}
	}
	return ""
}

// commandOf words: that of the longest path with which they begin, regardless of flags.
func commandOf(commands []Command, words []string) *Command {
	found, path := &commands[0], ""
	for _, word := range words {
		path = strings.TrimSpace(path + " " + word)
		next := false
		for i := range commands {
			if commands[i].Path == path {
				found, next = &commands[i], true
			}
		}
		if !next {
			break
		}
	}
	return found
}

// flag of a command with a name or its letter, with dashes. nil if there is none.
func (c *Command) flag(name string) *Flag {
	for i := range c.Flags {
		if name != "" && (c.Flags[i].Name == name || c.Flags[i].Short == name) {
			return &c.Flags[i]
		}
	}
	return nil
}
