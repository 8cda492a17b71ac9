package backend

import (
	"iter"
	"strings"
)

// innerCommands is how deep words looks into a command within a command.
const innerCommands = 3

// words splits a script into words as a shell would, without quotes, comments and operators. Words that only the shell
// can compute stay as written. A word that holds a command of its own, as in sh -c "command", is split too.
func words(script string) iter.Seq[string] {
	return func(yield func(string) bool) { splitWords(script, innerCommands, yield) }
}

// splitWords yields them until it need not go on, which it reports.
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

// quoted adds what stands between quotes; also nothing at all makes a word there.
func (s *splitter) quoted(ch, quote byte) {
	s.open = true
	if ch != quote {
		s.word = append(s.word, ch)
	}
}

// escaped adds what follows a backslash. Where that is the end of the line there is nothing.
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
