package backend

import (
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// Texts of the command lines of a graph. Each is read once, however often it is asked for: every rule and every pod of a component asks for its
// command line. The zero value is ready for use. nil reads each text again.
type Texts struct {
	mutex sync.Mutex
	read  map[string]*script
	lexer lexer
}

// readText does something with a text while no other goroutine reads one.
func (t *Texts) readText(text string, do func(*script)) {
	if t == nil {
		do(&script{text: text, lexer: &lexer{}})
		return
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	s, ok := t.read[text]
	if !ok {
		if t.read == nil {
			t.read = map[string]*script{}
		}
		s = &script{text: text, lexer: &t.lexer}
		t.read[text] = s
	}
	do(s)
}

// words of a text: see script.readWords.
func (t *Texts) words(text string) (words []string) {
	t.readText(text, func(s *script) { words = s.readWords() })
	return words
}

// scan a text: see lexer.scan.
func (t *Texts) scan(text string) (readings []reading) {
	t.readText(text, func(s *script) { readings = s.scan().readings })
	return readings
}

// moduleRuns of a text: see script.readModuleRuns.
func (t *Texts) moduleRuns(text string) (runs []moduleRun) {
	t.readText(text, func(s *script) { runs = s.readModuleRuns() })
	return runs
}

// withoutComments replaces the comments of a text: see script.uncomment.
func (t *Texts) withoutComments(text string) (without string) {
	t.readText(text, func(s *script) { without = s.uncomment() })
	return without
}

// script is a text with what was read of it so far.
type script struct {
	text  string
	lexer *lexer

	scanner     *scanner
	words       []string
	runs        []moduleRun
	uncommented string

	hasWords, hasRuns, isUncommented bool
}

func (s *script) scan() *scanner {
	if s.scanner == nil {
		s.scanner = s.lexer.scan(s.text)
	}
	return s.scanner
}

// lexer scans texts, and counts what that costs.
type lexer struct {
	parser *syntax.Parser

	// bytes that were scanned, the number of texts that were, and how many bytes of them were marked as parsed, each time that they were.
	bytes, texts, marks int
}
