package reference

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
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
func Candidates(app *kong.Application, words []string) string {
	last, before := "", words
	if len(words) > 0 {
		last, before = words[len(words)-1], words[:len(words)-1]
	}
	offered, directive := offers(commandOf(app.Node, before), last, before)
	var out strings.Builder
	for _, word := range offered {
		if strings.HasPrefix(word, last) {
			out.WriteString(word + "\n")
		}
	}
	return fmt.Sprintf("%s:%d\n", out.String(), directive)
}

// offers of a command for a word after others: values of a flag, flags, or commands.
func offers(node *kong.Node, last string, before []string) (offered []string, directive int) {
	if name, _, isValue := strings.Cut(last, "="); isValue && strings.HasPrefix(last, "-") {
		f, ok := flagNamed(node, name)
		if !ok {
			return nil, directiveFilesIfNone
		}
		for _, value := range f.values() {
			offered = append(offered, name+"="+value)
		}
		return offered, f.files()
	}
	if strings.HasPrefix(last, "-") {
		// A value follows its flag without a space.
		for _, f := range flagsOf(node) {
			name := f.name()
			if f.value() != "" {
				name += "="
			}
			offered = append(offered, name+"\t"+f.Help)
		}
		return offered, directiveNoSpace | directiveNoFiles
	}
	if len(before) > 0 {
		if f, ok := flagNamed(node, before[len(before)-1]); ok && f.value() != "" {
			return f.values(), f.files()
		}
	}
	for _, child := range below(node) {
		offered = append(offered, child.Name+"\t"+child.Help)
	}
	if len(node.Positional) == 0 {
		return offered, directiveNoFiles
	}
	return offered, directiveFilesIfNone
}

// files says whether the value of a flag may be the path of a file.
func (f flag) files() int {
	if f.Enum != "" {
		return directiveNoFiles
	}
	return directiveFilesIfNone
}

// commandOf words: that of the most of them, regardless of flags.
func commandOf(node *kong.Node, words []string) *kong.Node {
	for _, word := range words {
		i := slices.IndexFunc(below(node), func(n *kong.Node) bool { return n.Name == word })
		if i < 0 {
			break
		}
		node = below(node)[i]
	}
	return node
}

// flagNamed by a name or its letter, with dashes.
func flagNamed(node *kong.Node, name string) (flag, bool) {
	for _, f := range flagsOf(node) {
		if name != "" && (f.name() == name || f.short() == name) {
			return f, true
		}
	}
	return flag{}, false
}
