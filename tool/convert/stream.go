package convert

import (
	"bytes"
	"strings"
)

// A document of a stream of YAML.
type document struct {
	// separator is the line before it, empty for a first document without one.
	separator string
	body      []byte
	// before is the number of lines before the body.
	before int
}

// split a stream into its documents, without losing anything.
func split(data []byte) []document {
	documents := []document{{}}
	lines := 0
	for line := range bytes.Lines(data) {
		lines++
		last := &documents[len(documents)-1]
		if !isSeparator(line) {
			last.body = append(last.body, line...)
			continue
		}
		documents = append(documents, document{separator: string(line), before: lines})
	}
	if first := documents[0]; len(bytes.TrimSpace(first.body)) == 0 && len(documents) > 1 {
		return documents[1:]
	}
	return documents
}

// isSeparator reports whether a line separates documents and says nothing else but a comment.
func isSeparator(line []byte) bool {
	rest, ok := strings.CutPrefix(strings.TrimRight(string(line), "\r\n"), "---")
	trimmed := strings.TrimSpace(rest)
	return ok && (trimmed == "" || rest != trimmed && strings.HasPrefix(trimmed, "#"))
}
