package backend

import (
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/engine"
)

const (
	python = "python"
	dynamo = "dynamo."

	// commandEnds are the characters that end a simple command. So does the end of a line, except after a backslash, which continues the line.
	commandEnds = "|&;"
)

// moduleName is a place in a script where python runs a module.
type moduleName struct {
	// quote that opens before the name. It is empty if there is none.
	quote string
	// begin and end are the offsets of the name, and of what follows its last letter.
	begin, end int
}

// findModules returns the modules that python runs in a script, one for each python: `python... -m dynamo.name`. Quotes are ignored, because an
// inner shell runs a quoted command. If several modules follow, it is the first one after the first argument. nameEnd returns the length of
// the name that a text begins with, or 0 if it begins with none that is looked for.
//
// A regular expression would do, but takes a hundred times as long, and a tenant decides how long scripts are. This reads a script once.
func findModules(script string, nameEnd func(string) int) []moduleName {
	search := moduleSearch{script: script, nameEnd: nameEnd, stop: -1}
	var found []moduleName
	for from := 0; ; {
		next := strings.Index(script[from:], python)
		if next < 0 {
			return found
		}
		begin := from + next
		from = begin + len(python)
		if begin > 0 && (isNameByte(script[begin-1]) || script[begin-1] == '-') {
			continue
		}
		if name, ok := search.after(from); ok {
			found, from = append(found, name), name.end
		}
	}
}

// moduleSearch finds the flags that run a module.
type moduleSearch struct {
	script  string
	nameEnd func(string) int

	// stop is where the last search ended: before the flag of a module, which is found then, or at the end of a simple command. Searches that
	// begin between there and where that search began end in the same place, so that nothing is read twice.
	stop  int
	found bool
	name  moduleName
}

// after the word python, the module that it runs in the same command.
func (s *moduleSearch) after(index int) (moduleName, bool) {
	for index < len(s.script) && (isDigit(s.script[index]) || s.script[index] == '.') {
		index++
	}
	if index < len(s.script) && isQuote(s.script[index]) {
		index++
	}
	arguments := skipBlank(s.script, index)
	if arguments == index {
		return moduleName{}, false
	}
	if arguments > s.stop {
		s.search(arguments)
	}
	if s.found {
		return s.name, true
	}
	return s.moduleAt(arguments)
}

// search for the flag of a module after a blank, within the simple command.
func (s *moduleSearch) search(from int) {
	s.found = false
	for s.stop = from; s.stop < len(s.script); s.stop++ {
		ch := s.script[s.stop]
		if isBlank(ch) || ch == '\n' {
			if s.name, s.found = s.moduleAt(s.stop + 1); s.found {
				return
			}
		}
		if strings.IndexByte(commandEnds, ch) >= 0 || ch == '\n' && (s.stop == 0 || s.script[s.stop-1] != '\\') {
			return
		}
	}
}

// moduleAt is the module after a flag such as -m, which can be combined with others, as in -um, and needs no blank.
func (s *moduleSearch) moduleAt(index int) (moduleName, bool) {
	if index >= len(s.script) || s.script[index] != '-' {
		return moduleName{}, false
	}
	first, end := index+1, index+1
	for end < len(s.script) && isLetter(s.script[end]) {
		end++
	}
	for index = end; index > first; index-- {
		if s.script[index-1] != 'm' {
			continue
		}
		if name, ok := s.nameAt(index); ok {
			return name, true
		}
	}
	return moduleName{}, false
}

func (s *moduleSearch) nameAt(index int) (moduleName, bool) {
	for next := skipBlank(s.script, index); next > index; next = skipBlank(s.script, index) {
		index = next
	}
	name := moduleName{begin: index}
	if index < len(s.script) && isQuote(s.script[index]) {
		name.quote = s.script[index : index+1]
		name.begin++
	}
	length := s.nameEnd(s.script[name.begin:])
	name.end = name.begin + length
	return name, length > 0
}

// skipBlank skips a blank, or a backslash and the end of the line that it continues.
func skipBlank(script string, index int) int {
	switch {
	case index < len(script) && isBlank(script[index]):
		return index + 1
	case strings.HasPrefix(script[min(index, len(script)):], "\\\n"):
		return index + 2
	default:
		return index
	}
}

// anyModule of Dynamo.
func anyModule(text string) int {
	rest, ok := strings.CutPrefix(text, dynamo)
	if length := nameLength(rest); ok && length > 0 {
		return len(dynamo) + length
	}
	return 0
}

// engineModule of Dynamo, or one that begins with its name.
func engineModule(text string) int {
	if _, ok := frameworkOf(text); !ok {
		return 0
	}
	return nameLength(text)
}

// frameworkOf the module with which a text begins.
func frameworkOf(text string) (v1alpha1.BackendFramework, bool) {
	rest, ok := strings.CutPrefix(text, dynamo)
	if !ok {
		return "", false
	}
	for _, f := range engine.Frameworks() {
		if strings.HasPrefix(rest, f) {
			return v1alpha1.BackendFramework(f), true
		}
	}
	return "", false
}

// nameLength is the number of bytes of the name with which a text begins.
func nameLength(text string) int {
	for i := range len(text) {
		if !isNameByte(text[i]) {
			return i
		}
	}
	return len(text)
}

// isNameByte reports whether a byte can be part of the name of a module, with those that it is in.
func isNameByte(ch byte) bool { return isWordByte(ch) || ch == '.' }

// isWordByte reports whether a byte can be part of the name of a variable.
func isWordByte(ch byte) bool { return isLetter(ch) || isDigit(ch) || ch == '_' }

func isLetter(ch byte) bool { return 'a' <= ch && ch <= 'z' || 'A' <= ch && ch <= 'Z' }
func isDigit(ch byte) bool  { return '0' <= ch && ch <= '9' }
func isBlank(ch byte) bool  { return ch == ' ' || ch == '\t' }
