package backend

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/crossplane/function-sdk-go/errors"
)

// reading is how a shell reads a byte of a script.
type reading byte

const (
	inCode reading = iota
	inSingleQuotes
	inDoubleQuotes
	inComment
	inHereDocument
)

// maxParsed and maxNesting limit the length and the nesting of scripts that are parsed. The parser is recursive, and a stack overflow would
// end the process. It needs up to 4 KiB for each level, and less than 1 KiB for any other byte.
const (
	maxParsed  = 64 << 10
	maxNesting = 1000

	// maxMarks is how often the bytes of a script may be marked on average: twice for each level of quotes and substitutions that they are in.
	// Without a limit, the work would grow with the square of a script.
	maxMarks = 32
)

// scanner marks the bytes of a script.
type scanner struct {
	script   string
	readings []reading
	// opening are the quotes that open a string. Of those within another string, every second one does, for an inner shell.
	opening []bool
	// marks is how many bytes were marked, each time that they were.
	marks int
}

func newScanner(script string) *scanner {
	return &scanner{script: script, readings: make([]reading, len(script)), opening: make([]bool, len(script))}
}

// marked are the characters that quotes, comments and here-documents begin with. A script without them is code.
const marked = `'"#<`

// scan reads a script as a shell does, as far as necessary to find quotes and comments. For example, an apostrophe in a comment or in a
// here-document does not open a quote. It never fails: after the first error, only quotes and comments are read.
func (l *lexer) scan(script string) *scanner {
	l.bytes, l.texts = l.bytes+len(script), l.texts+1
	s := newScanner(script)
	if !strings.ContainsAny(script, marked) {
		return s
	}
	file, end := l.parse(script)
	if file != nil {
		syntax.Walk(file, s.visit)
	}
	l.marks += s.marks
	if s.isExhausted() {
		s, end = newScanner(script), 0
	}
	s.readQuotes(end)
	return s
}

// isExhausted reports whether a script is nested more deeply than any real one. It is read as one that cannot be parsed.
func (s *scanner) isExhausted() bool { return s.marks > maxMarks*len(s.script) }

// parse a script up to its first error. end is the offset of the error. The file is nil if nothing can be parsed.
func (l *lexer) parse(script string) (file *syntax.File, end int) {
	if len(script) > maxParsed || nesting(script) > maxNesting {
		return nil, 0
	}
	if l.parser == nil {
		// A parser is expensive to create, and can be used again.
		l.parser = syntax.NewParser(syntax.KeepComments(true))
	}
	// The kubelet replaces $$(...) with $(...) before a shell reads it.
	script = strings.ReplaceAll(script, "$$(", "_$(")
	file, err := l.parser.Parse(strings.NewReader(script), "")
	if err == nil {
		return file, len(script)
	}
	var mistake syntax.ParseError
	if !errors.As(err, &mistake) {
		return nil, 0
	}
	end = offset(mistake.Pos)
	if file, err = l.parser.Parse(strings.NewReader(script[:end]), ""); err != nil {
		return nil, 0
	}
	return file, end
}

// nesting is the greatest possible depth of a script.
func nesting(script string) int {
	openings := 0
	for _, opening := range []string{"(", "[", "{", "`", "?"} {
		openings += strings.Count(script, opening)
	}
	return openings
}

// visit a node. Nodes within it are visited later, and overwrite its marks.
func (s *scanner) visit(node syntax.Node) bool {
	if s.isExhausted() {
		return false
	}
	switch n := node.(type) {
	case *syntax.SglQuoted:
		s.quote(offset(n.Pos()), offset(n.End()), '\'')
	case *syntax.DblQuoted:
		s.quote(offset(n.Pos()), offset(n.End()), '"')
	case *syntax.CmdSubst:
		opening := len("$(")
		if n.Backquotes {
			opening = len("`")
		}
		s.mark(offset(n.Pos())+opening, offset(n.End()), inCode)
	case *syntax.ArithmExp:
		s.mark(offset(n.Pos())+len("$("), offset(n.End()), inCode)
	case *syntax.Comment:
		s.mark(offset(n.Pos()), offset(n.End()), inComment)
	case *syntax.Redirect:
		if n.Hdoc != nil {
			s.mark(offset(n.Hdoc.Pos()), s.lineEnd(offset(n.Hdoc.End()))+1, inHereDocument)
			return false
		}
	}
	return true
}

// quote marks a quoted string, including the quotes.
func (s *scanner) quote(from, to int, quote byte) {
	// $'...' and $"..." begin with a dollar sign.
	from += max(0, strings.IndexByte(s.script[from:], quote))
	inner, r := byte('\''), inDoubleQuotes
	if quote == '\'' {
		inner, r = '"', inSingleQuotes
	}
	s.mark(from, to, r)
	s.opening[from] = true
	quoted := 0
	for i := from + 1; i < min(to, len(s.script)); i++ {
		if s.script[i] == inner {
			s.opening[i] = quoted%2 == 0
			quoted++
		}
	}
}

func (s *scanner) mark(from, to int, r reading) {
	to = min(to, len(s.script))
	s.marks += max(0, to-from)
	for i := from; i < to; i++ {
		s.readings[i], s.opening[i] = r, false
	}
}

// readQuotes reads quotes and comments of a text that cannot be parsed, starting at an offset, regardless of their context: escaped
// characters, quoted strings, whether closed or not, and comments. It takes no regular expression for the reason that findModules takes none.
func (s *scanner) readQuotes(from int) {
	for index := from; index < len(s.script); {
		switch ch := s.script[index]; {
		case ch == '\\':
			index += len(`\"`)
		case isQuote(ch):
			end := s.quoteEnd(index)
			s.quote(index, end, ch)
			index = end
		case ch == '#' && index == from:
			index = s.comment(index)
		case strings.IndexByte(beforeComment, ch) >= 0 && strings.HasPrefix(s.script[index+1:], "#"):
			index = s.comment(index + 1)
		default:
			index++
		}
	}
}

// beforeComment are the characters after which # begins a comment. After others it is a part of a word.
const beforeComment = " \t\n;&|("

// comment marks a comment, and returns where it ends.
func (s *scanner) comment(index int) int {
	end := s.lineEnd(index)
	s.mark(index, end, inComment)
	return end
}

// quoteEnd is the offset after a quoted string. In double quotes, a backslash escapes a quote.
func (s *scanner) quoteEnd(index int) int {
	quote := s.script[index]
	for index++; index < len(s.script); index++ {
		switch ch := s.script[index]; {
		case ch == quote:
			return index + 1
		case ch == '\\' && quote == '"':
			if index+1 == len(s.script) {
				// It escapes nothing.
				return index
			}
			index++
		}
	}
	return len(s.script)
}

func (s *scanner) lineEnd(index int) int {
	if i := strings.IndexByte(s.script[index:], '\n'); i >= 0 {
		return index + i
	}
	return len(s.script)
}

func isQuote(ch byte) bool { return ch == '"' || ch == '\'' }

func offset(position syntax.Pos) int { return int(position.Offset()) }
