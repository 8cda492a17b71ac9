package document

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxProbed is the number of bytes that are parsed to find a mistake, so that a large file with one is not parsed for each of its lines.
const maxProbed = 16 << 20

// mistake is the line of a document, from 1, in which its syntax breaks. A parser names the beginning of the mapping or list in which it
// fails, or a line next to the mistake. But it parses all lines before the mistake, so the mistake is in the first line without which it does.
// Some mistakes only show in the line after them.
func mistake(text []byte, reported int) int {
	lines := bytes.SplitAfter(text, []byte("\n"))
	last := linesRead(lines)
	if last == 0 {
		return reported
	}
	valid, ok := validLines(lines, last)
	if !ok {
		return reported
	}
	for valid < len(lines)-1 && isBlank(lines[valid]) {
		valid++
	}
	if before := contentBefore(lines, valid); before >= 0 && lacksColon(lines[before], lines[valid]) {
		return before + 1
	}
	for i := valid - 1; i > max(0, valid-maxLevel); i-- {
		if !isBlank(lines[i]) && isMisplaced(lines, i, valid) {
			return i + 1
		}
	}
	return valid + 1
}

// maxLevel is the number of lines that a level may have before the line that does not fit to its first one.
const maxLevel = 100

// linesRead is the number of lines that a parser reads until it fails, which may be a few more than it needs. 0 means that it does not fail.
func linesRead(lines [][]byte) int {
	reader := &lineReader{lines: lines}
	if err := yaml.NewDecoder(reader).Decode(&yaml.Node{}); err == nil {
		return 0
	}
	return reader.next
}

// lineReader hands out one line at a time.
type lineReader struct {
	lines [][]byte
	next  int
	rest  []byte
}

// Read a line, or a part of it.
func (r *lineReader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		if r.next == len(r.lines) {
			return 0, io.EOF
		}
		r.rest, r.next = r.lines[r.next], r.next+1
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// validLines is the number of lines with which the text can begin and be valid. ok: it was found.
func validLines(lines [][]byte, last int) (valid int, ok bool) {
	probed := 0
	for valid = last - 1; valid > 0; valid-- {
		prefix := bytes.Join(lines[:valid], nil)
		if probed += len(prefix); probed > maxProbed {
			return 0, false
		}
		if yaml.Unmarshal(prefix, &yaml.Node{}) == nil {
			return valid, true
		}
	}
	return 0, true
}

func isBlank(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) == 0 || line[0] == '#'
}

// contentBefore is the index of the last line with content before another one. -1 means that there is none.
func contentBefore(lines [][]byte, i int) int {
	for i--; i >= 0; i-- {
		if !isBlank(lines[i]) {
			return i
		}
	}
	return -1
}

// lacksColon reports whether a line was probably meant as a key, without whose colon the next line cannot be read.
func lacksColon(line, next []byte) bool {
	text, column := contentOf(line)
	_, nextColumn := contentOf(next)
	if text == "" || column > indentOf(line) && nextColumn > indentOf(next) || strings.HasSuffix(text, ":") || strings.Contains(text, ": ") || strings.ContainsAny(text[:1], `"'|>&*!{}[]#-`) {
		return false
	}
	return column <= nextColumn && isKey(text)
}

// contentOf a line without the dashes of lists, and its column.
func contentOf(line []byte) (text string, column int) {
	text = strings.TrimRight(string(line), "\r\n ")
	for {
		trimmed := strings.TrimLeft(text, " ")
		trimmed = strings.TrimPrefix(trimmed, "- ")
		if trimmed == text {
			return text, column
		}
		column += len(text) - len(trimmed)
		text = trimmed
	}
}

// isKey reports whether text begins as a key of Kubernetes does.
func isKey(text string) bool {
	word, _, _ := strings.Cut(text, " ")
	word, _, _ = strings.Cut(word, ":")
	for i, r := range word {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || (r < '0' || r > '9') && !strings.ContainsRune("-_./", r)) {
			return false
		}
	}
	return word != ""
}

// isMisplaced reports whether a line that begins a mapping or list was probably meant to be indented as others are, because the next line that
// does not fit can then be read.
func isMisplaced(lines [][]byte, line, next int) bool {
	above := contentBefore(lines, line)
	if above < 0 || indentOf(lines[line])-indentOf(lines[next]) > maxShift || indentOf(lines[next])-indentOf(lines[line]) > maxShift {
		return false
	}
	_, parent := contentOf(lines[above])
	usual := usualStep(lines[:next])
	if step := indentOf(lines[line]) - parent; step <= 0 || step == usual {
		return false
	}
	moved := slices.Clone(lines[:next+1])
	moved[line] = append(bytes.Repeat([]byte(" "), parent+usual), bytes.TrimLeft(lines[line], " ")...)
	return yaml.Unmarshal(bytes.Join(moved, nil), &yaml.Node{}) == nil
}

// maxShift is the number of spaces by which a line is moved by mistake.
const maxShift = 4

// usualStep is the number of spaces by which most levels of a document are indented.
func usualStep(lines [][]byte) int {
	count := map[int]int{}
	usual, parent := 0, 0
	for _, line := range lines {
		if isBlank(line) {
			continue
		}
		if step := indentOf(line) - parent; step > 0 {
			count[step]++
			if usual == 0 || count[step] > count[usual] {
				usual = step
			}
		}
		_, parent = contentOf(line)
	}
	if count[usual] <= 1 {
		return defaultStep
	}
	return usual
}

// defaultStep is the number of spaces by which a level is indented in most manifests.
const defaultStep = 2

func indentOf(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " ")) }
