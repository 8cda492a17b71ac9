package page

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

var (
	heading = regexp.MustCompile(`^#{1,6} +(.+?)(?: +#+)?$`)
	link    = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

// Prose of a page: its lines without those of blocks, which stay as empty lines.
func Prose(text string) []string {
	var lines []string
	inBlock := false
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		fence := strings.HasPrefix(strings.TrimSpace(line), "```")
		if fence || inBlock {
			lines = append(lines, "")
		} else {
			lines = append(lines, line)
		}
		if fence {
			inBlock = !inBlock
		}
	}
	return lines
}

// Anchors of the headings of a page, in their order, as forges make them:
// https://docs.github.com/get-started/writing-on-github, "Section links".
func Anchors(text string) []string {
	var anchors []string
	seen := map[string]int{}
	for _, line := range Prose(text) {
		found := heading.FindStringSubmatch(line)
		if found == nil {
			continue
		}
		anchor := anchorOf(link.ReplaceAllString(found[1], "$1"))
		n := seen[anchor]
		seen[anchor]++
		if n > 0 {
			anchor = fmt.Sprintf("%s-%d", anchor, n)
		}
		anchors = append(anchors, anchor)
	}
	return anchors
}

// anchorOf a heading: letters, digits, - and _ of its text in lower case, with - for each space.
func anchorOf(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-', r == '_', unicode.IsLetter(r), unicode.IsMark(r), unicode.IsDigit(r):
			return unicode.ToLower(r)
		default:
			return -1
		}
	}, heading)
}
