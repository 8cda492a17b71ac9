package backend

import (
	"iter"
	"strings"
)

// innerCommands is the maximum depth of commands within commands that words splits.
const innerCommands = 3

// words splits a script into words as a shell does, without quotes, comments and operators. Words that only the shell can compute are not
// changed. A word that contains a command, as in sh -c "command", is split as well.
func words(script string) iter.Seq[string] {
	return func(yield func(string) bool) { splitWords(script, innerCommands, yield) }
}

// splitWords yields the words until the consumer stops. It reports whether the consumer continues.
func splitWords(script string, depth int, yield func(string) bool) bool {
	s := splitter{depth: depth, yield: yield}
	readings := scan(script)
	for i := 0; i < len(script) && !s.stopped; i++ {
		escape := script[i] == '\\' && i+1 < len(script)
		switch {
		case readings[i] == inComment:
			s.end()
		case readings[i] == inSingleQuotes:
			s.quoted(script[i], '\'')
		case readings[i] == inDoubleQuotes && escape:
			i++
			if strings.IndexByte("$`\"\\\n", script[i]) < 0 {
				s.add('\\')
			}
			s.escaped(script[i])
		case readings[i] == inDoubleQuotes:
			s.quoted(script[i], '"')
		case escape:
			i++
			s.escaped(script[i])
		case strings.IndexByte(" \t\n;&|<>", script[i]) >= 0:
			s.end()
		default:
			s.add(script[i])
		}
	}
	s.end()
	return !s.stopped
}

// splitter yields the words of a script.
type splitter struct {
	yield   func(string) bool
	word    []byte
	open    bool
	stopped bool
	depth   int
}

func (s *splitter) add(ch byte) {
	s.open = true
	s.word = append(s.word, ch)
}

// quoted adds a quoted string. An empty string is a word as well.
func (s *splitter) quoted(ch, quote byte) {
	s.open = true
	if ch != quote {
		s.word = append(s.word, ch)
	}
}

// escaped adds the character after a backslash. At the end of a line there is none.
func (s *splitter) escaped(ch byte) {
	if ch != '\n' {
		s.add(ch)
	}
}

func (s *splitter) end() {
	if !s.open || s.stopped {
		return
	}
	word := string(s.word)
	s.word, s.open = s.word[:0], false
	s.stopped = !s.yield(word)
	if !s.stopped && s.depth > 0 && strings.ContainsAny(word, " \t\n") {
		s.stopped = !splitWords(word, s.depth-1, s.yield)
	}
}
