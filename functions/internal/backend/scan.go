package backend

import (
	"regexp"
	"strings"
)

// reading is how a shell reads one byte of a script.
type reading byte

const (
	inCode reading = iota
	inSingleQuotes
	inDoubleQuotes
	inComment
	inHereDocument
)

// scan reads a script as a shell would, as far as it takes to know what is quoted and what is a comment: an apostrophe
// in a comment or a here-document opens nothing. It never fails; what it cannot follow counts as code.
func scan(script string) []reading {
	s := scanner{script: script, readings: make([]reading, len(script))}
	for s.at < len(script) {
		s.step()
	}
	return s.readings
}

// openingQuotes are the quotes of a script that open something. Of those that are quoted themselves every other one does, for
// an inner shell.
func openingQuotes(script string) []bool {
	opening := make([]bool, len(script))
	s := scanner{script: script, readings: make([]reading, len(script))}
	quoted := 0
	for s.at < len(script) {
		begin, ch, inside := s.at, script[s.at], s.top() == '"'
		s.step()
		switch {
		case inside && ch == '\'':
			opening[begin] = quoted%2 == 0
			quoted++
		case !inside && isQuote(ch):
			opening[begin] = true
			quoted = 0
			for i := begin + 1; i < s.at; i++ {
				if script[i] == '"' {
					opening[i] = quoted%2 == 0
					quoted++
				}
			}
		}
	}
	return opening
}

func isQuote(ch byte) bool { return ch == '"' || ch == '\'' }

type scanner struct {
	script   string
	readings []reading
	at       int
	// nesting of what is open around at: '"', '(' or '`'.
	nesting []byte
	// delimiters of the here-documents that begin after this line.
	delimiters []string
	// lastLine is where each line begins for the last time, filled when the first here-document needs it.
	lastLine map[string]int
}

func (s *scanner) step() {
	if s.top() == '"' {
		s.stepInDoubleQuotes()
		return
	}
	switch ch := s.script[s.at]; {
	case ch == '\\':
		s.mark(2, inCode)
	case ch == '\'':
		s.mark(s.distanceTo('\'', 1)+1, inSingleQuotes)
	case ch == '"':
		s.push('"')
		s.mark(1, inDoubleQuotes)
	case ch == '#' && s.atWordStart():
		s.mark(s.distanceTo('\n', 0), inComment)
	case ch == '(':
		s.push('(')
		s.mark(1, inCode)
	case ch == ')' && s.top() == '(':
		s.pop()
		s.mark(1, inCode)
	case ch == '`':
		s.toggleBackquote()
		s.mark(1, inCode)
	case strings.HasPrefix(s.script[s.at:], "<<<"):
		s.mark(3, inCode)
	case ch == '<' && hereDocument.MatchString(s.script[s.at:]):
		s.beginHereDocument()
	case ch == '\n':
		s.mark(1, inCode)
		s.skipHereDocuments()
	default:
		s.mark(1, inCode)
	}
}

func (s *scanner) stepInDoubleQuotes() {
	switch ch := s.script[s.at]; {
	case ch == '\\':
		s.mark(2, inDoubleQuotes)
	case ch == '"':
		s.pop()
		s.mark(1, inDoubleQuotes)
	case strings.HasPrefix(s.script[s.at:], "$("):
		s.push('(')
		s.mark(2, inDoubleQuotes)
	case ch == '`':
		s.toggleBackquote()
		s.mark(1, inDoubleQuotes)
	default:
		s.mark(1, inDoubleQuotes)
	}
}

var hereDocument = regexp.MustCompile(`^<<-?[ \t]*\\?(["']?)([A-Za-z_][A-Za-z0-9_]*)(["']?)`)

func (s *scanner) beginHereDocument() {
	match := hereDocument.FindStringSubmatch(s.script[s.at:])
	s.delimiters = append(s.delimiters, match[2])
	s.mark(len(match[0]), inCode)
}

// skipHereDocuments marks the here-documents that the line before opened. One whose end is missing was none, but a shift
// in arithmetic, say.
func (s *scanner) skipHereDocuments() {
	for _, delimiter := range s.delimiters {
		if last, ok := s.lastLines()[delimiter]; !ok || last < s.at {
			continue
		}
		for ended := false; !ended; {
			line, _, _ := strings.Cut(s.script[s.at:], "\n")
			ended = withoutTabs(line) == delimiter
			s.mark(len(line)+1, inHereDocument)
		}
	}
	s.delimiters = nil
}

func (s *scanner) lastLines() map[string]int {
	if s.lastLine != nil {
		return s.lastLine
	}
	s.lastLine = map[string]int{}
	at := 0
	for line := range strings.Lines(s.script) {
		s.lastLine[withoutTabs(strings.TrimSuffix(line, "\n"))] = at
		at += len(line)
	}
	return s.lastLine
}

// withoutTabs is a line as a here-document of <<- compares it with its delimiter. Only a delimiter behind tabs, where
// there is no dash, is taken for an end too early.
func withoutTabs(line string) string { return strings.TrimLeft(line, "\t") }

// mark the next n bytes and move on.
func (s *scanner) mark(n int, r reading) {
	for ; n > 0 && s.at < len(s.script); n-- {
		s.readings[s.at] = r
		s.at++
	}
}

// distanceTo the next ch, at least skip bytes ahead, or to the end of the script.
func (s *scanner) distanceTo(ch byte, skip int) int {
	if i := strings.IndexByte(s.script[s.at+skip:], ch); i >= 0 {
		return i + skip
	}
	return len(s.script) - s.at
}

func (s *scanner) atWordStart() bool {
	return s.at == 0 || strings.IndexByte(" \t\n;&|(", s.script[s.at-1]) >= 0
}

func (s *scanner) push(ch byte) { s.nesting = append(s.nesting, ch) }

func (s *scanner) pop() { s.nesting = s.nesting[:len(s.nesting)-1] }

func (s *scanner) top() byte {
	if len(s.nesting) == 0 {
		return 0
	}
	return s.nesting[len(s.nesting)-1]
}

func (s *scanner) toggleBackquote() {
	if s.top() == '`' {
		s.pop()
		return
	}
	s.push('`')
}
