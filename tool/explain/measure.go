package explain

import (
	"strings"
	"unicode"
)

// The fonts of a reader are not known. So text is measured as in DejaVu Sans, the widest of those that browsers use without others, and rather
// too wide than too narrow.

// boldness is how much wider bold text is.
const boldness = 1.14

// width of text in pixels.
func width(text string, size int, bold bool) int {
	var em float64
	for _, r := range text {
		em += advance(r)
	}
	if bold {
		em *= boldness
	}
	return int(em*float64(size)) + 1
}

// advance of a character, in parts of the size of the font.
func advance(r rune) float64 {
	const narrow, normal, capital, wide, full = 0.42, 0.64, 0.79, 1, 1.2
	switch {
	case strings.ContainsRune("iljtfrI.,:;'|!()[]/- ", r):
		return narrow
	case strings.ContainsRune("mwMW@%", r):
		return wide
	case unicode.IsUpper(r) && r < unicode.MaxLatin1, strings.ContainsRune("&+=<>~#", r):
		return capital
	case r > unicode.MaxLatin1:
		return full
	default:
		return normal
	}
}

// wrap text into lines that are no wider than a limit: at spaces, otherwise after dashes and dots, otherwise anywhere.
func wrap(text string, limit, size int, bold bool) []string {
	var lines []string
	rest := []rune(strings.TrimSpace(text))
	for len(rest) > 0 {
		n := fit(rest, limit, size, bold)
		line := strings.TrimSpace(string(rest[:n]))
		lines = append(lines, line)
		rest = []rune(strings.TrimLeft(string(rest[n:]), " "))
	}
	return lines
}

// fit is how many characters fit into a line, at least one.
func fit(text []rune, limit, size int, bold bool) int {
	n := len(text)
	for n > 1 && width(string(text[:n]), size, bold) > limit {
		n--
	}
	if n == len(text) {
		return n
	}
	for _, ends := range []string{" ", "-./"} {
		for i := n; i > n/2; i-- {
			if strings.ContainsRune(ends, text[i-1]) || ends == " " && text[i] == ' ' {
				return i
			}
		}
	}
	return n
}
