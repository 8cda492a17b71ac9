package backend

import (
	"errors"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
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

// maxParsed and maxNesting bound the length of scripts that are parsed, and how often they may open something: the parser recurses,
// and a stack that overflows ends the process. It takes up to 4 KiB for each level, and less than 1 KiB for a byte that opens none.
const (
	maxParsed  = 64 << 10
	maxNesting = 1000
)

// scan reads a script as a shell would, as far as it takes to know what is quoted and what is a comment: an apostrophe
// in a comment or a here-document opens nothing. It never fails: what cannot be parsed is read for its quotes and comments alone.
func scan(script string) []reading { return scanned(script).readings }

// openingQuotes are the quotes of a script that open something. Of those that are quoted themselves every other one does, for
// an inner shell.
func openingQuotes(script string) []bool { return scanned(script).opening }

// scanner marks the bytes of a script.
type scanner struct {
	script   string
	readings []reading
	opening  []bool
}

// scanned script: parsed as far as it can be, and read for its quotes from there on.
func scanned(script string) *scanner {
	s := &scanner{script: script, readings: make([]reading, len(script)), opening: make([]bool, len(script))}
	file, end := parse(script)
	if file != nil {
		syntax.Walk(file, s.visit)
	}
	s.readQuotes(end)
	return s
}

// parse a script up to its first mistake; end is where that is. No file is returned where nothing can be parsed.
func parse(script string) (file *syntax.File, end int) {
	if len(script) > maxParsed || nesting(script) > maxNesting {
		return nil, 0
	}
	// The kubelet makes $(...) of $$(...) before a shell reads it.
	script = strings.ReplaceAll(script, "$$(", "_$(")
	parser := syntax.NewParser(syntax.KeepComments(true))
	file, err := parser.Parse(strings.NewReader(script), "")
	if err == nil {
		return file, len(script)
	}
	var mistake syntax.ParseError
	if !errors.As(err, &mistake) {
		return nil, 0
	}
	end = offset(mistake.Pos)
	if file, err = parser.Parse(strings.NewReader(script[:end]), ""); err != nil {
		return nil, 0
	}
	return file, end
}

// nesting that a script has at most.
func nesting(script string) int {
	openings := 0
	for _, opening := range []string{"(", "[", "{", "`", "?"} {
		openings += strings.Count(script, opening)
	}
	return openings
}

// visit a node. What is within it is visited later, and marked in its own way.
func (s *scanner) visit(node syntax.Node) bool {
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

// quote marks what stands between quotes, these included.
func (s *scanner) quote(from, to int, quote byte) {
	// $'...' and $"..." begin with a dollar.
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
	for i := from; i < min(to, len(s.script)); i++ {
		s.readings[i], s.opening[i] = r, false
	}
}

// quotesAndComments are found in this order: what a backslash escapes, quotes, closed or not, and comments with what begins their word.
var quotesAndComments = regexp.MustCompile(`(?s)\\.|'[^']*'?|"(?:\\.|[^"\\])*"?|(?:^|[ \t\n;&|(])#[^\n]*`)

// readQuotes of what cannot be parsed, from an offset on: quotes and comments, whatever stands around them.
func (s *scanner) readQuotes(from int) {
	for _, at := range quotesAndComments.FindAllStringIndex(s.script[from:], -1) {
		begin, end := from+at[0], from+at[1]
		switch ch := s.script[begin]; {
		case isQuote(ch):
			s.quote(begin, end, ch)
		case ch != '\\':
			s.mark(begin+strings.IndexByte(s.script[begin:], '#'), end, inComment)
		}
	}
}

func (s *scanner) lineEnd(at int) int {
	if i := strings.IndexByte(s.script[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(s.script)
}

func isQuote(ch byte) bool { return ch == '"' || ch == '\'' }

func offset(position syntax.Pos) int { return int(position.Offset()) }
