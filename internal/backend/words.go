package backend

import "strings"

const (
	// innerCommands is the maximum depth of commands within commands that are split.
	innerCommands = 3

	// maxInnerCommands is how many of them are split in one text. Scripts have a few, and each costs more than its bytes.
	maxInnerCommands = 256
)

// readWords splits a script into words as a shell does, without quotes, comments and operators. Words that only the shell can compute are not
// changed. A word that contains a command with flags, as in sh -c "command --flag", is split as well.
func (s *script) readWords() []string {
	if !s.hasWords {
		split := splitter{lexer: s.lexer}
		split.script(s.scan(), innerCommands)
		s.words, s.hasWords = split.words, true
	}
	return s.words
}

// splitter collects the words of a script.
type splitter struct {
	lexer *lexer
	words []string
	// inner is the number of words that were split in turn.
	inner int
}

// script adds the words of a script. depth is that of the commands within it.
func (s *splitter) script(scanned *scanner, depth int) {
	script, w := scanned.script, wordBuilder{}
	end := func() {
		word, ok := w.end()
		if !ok {
			return
		}
		s.words = append(s.words, word)
		// Only flags and their values are looked for.
		if depth > 0 && s.inner < maxInnerCommands && strings.ContainsAny(word, " \t\n") && strings.Contains(word, "-") {
			s.inner++
			s.script(s.lexer.scan(word), depth-1)
		}
	}
	for i := 0; i < len(script); i++ {
		escape := script[i] == '\\' && i+1 < len(script)
		switch {
		case scanned.readings[i] == inComment:
			end()
		case scanned.readings[i] == inSingleQuotes:
			w.quoted(script[i], '\'')
		case scanned.readings[i] == inDoubleQuotes && escape:
			i++
			if strings.IndexByte("$`\"\\\n", script[i]) < 0 {
				w.add('\\')
			}
			w.escaped(script[i])
		case scanned.readings[i] == inDoubleQuotes:
			w.quoted(script[i], '"')
		case escape:
			i++
			w.escaped(script[i])
		case strings.IndexByte(" \t\n;&|<>", script[i]) >= 0:
			end()
		default:
			w.add(script[i])
		}
	}
	end()
}

// wordBuilder builds one word after the other.
type wordBuilder struct {
	word []byte
	open bool
}

func (w *wordBuilder) add(ch byte) {
	w.open = true
	w.word = append(w.word, ch)
}

// quoted adds a quoted string. An empty string is a word as well.
func (w *wordBuilder) quoted(ch, quote byte) {
	w.open = true
	if ch != quote {
		w.word = append(w.word, ch)
	}
}

// escaped adds the character after a backslash. At the end of a line there is none.
func (w *wordBuilder) escaped(ch byte) {
	if ch != '\n' {
		w.add(ch)
	}
}

// end the word. ok is false if there is none.
func (w *wordBuilder) end() (word string, ok bool) {
	word, ok = string(w.word), w.open
	w.word, w.open = w.word[:0], false
	return word, ok
}
