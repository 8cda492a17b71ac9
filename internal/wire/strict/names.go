package strict

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Nearest is the known name that was probably meant. Empty if there is none.
func Nearest(name string, names []string) string {
	lower := strings.ToLower(name)
	if len(name) > maxShown || len(lower) > maxShown {
		return ""
	}
	best, bestDistance := "", len(name)/3+2
	for _, n := range names {
		if strings.EqualFold(n, name) {
			return n
		}
		if len(n) > maxShown {
			continue
		}
		if dist := distance(lower, strings.ToLower(n)); dist < bestDistance {
			best, bestDistance = n, dist
		}
	}
	if bestDistance >= max(len(name), len(best)) {
		return ""
	}
	return best
}

// Near is the known word that was probably meant by a free one. Empty if there is none. In contrast to an unknown field, the word may be intended:
// therefore at most one character in six may differ, and numbers are ignored. A word may differ in case only.
func Near(word string, known []string) string {
	lower := strings.ToLower(word)
	if len(word) > maxShown || len(lower) > maxShown || slices.Contains(known, word) {
		return ""
	}
	best, bestDistance := "", max(1, len(word)/6)+1
	for _, k := range known {
		if len(k) > maxShown || max(len(k)-len(lower), len(lower)-len(k)) >= bestDistance || withoutDigits(k) == withoutDigits(word) {
			continue
		}
		if dist := distance(lower, strings.ToLower(k)); dist < bestDistance {
			best, bestDistance = k, dist
		}
	}
	return best
}

// maxComparisons is how many pairs of words are compared for the messages about one list. No list that somebody reads has as many.
const maxComparisons = 10_000

// Guesses find which of many known words were probably meant by many others. Both lists can be a user's, and comparing all words of one with all
// of the other takes the product of their lengths: after maxComparisons nothing is found any more.
type Guesses struct {
	known []string
	left  int
}

// GuessesOf known words.
func GuessesOf(known []string) *Guesses { return &Guesses{known: known, left: maxComparisons} }

// Near is the known word that was probably meant by a free one, as function Near finds it. Empty if there is none.
func (g *Guesses) Near(word string) string {
	if g.left -= len(g.known); g.left < 0 {
		return ""
	}
	return Near(word, g.known)
}

// Some words of a list, for a message. A list of a user can be long.
func Some(words []string) string {
	const most = 10
	shown := make([]string, 0, most)
	for _, word := range words[:min(len(words), most)] {
		shown = append(shown, Printable(word))
	}
	list := strings.Join(shown, ", ")
	if more := len(words) - most; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}

func withoutDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, s)
}

// distance is the number of inserted, deleted, replaced or swapped adjacent bytes between a and b, both of which are not longer than
// maxShown. It allocates no memory: a hostile manifest has thousands of unknown fields.
func distance(a, b string) int {
	var rows [3][maxShown + 1]int
	for j := range len(b) + 1 {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		row, above, before := &rows[i%3], &rows[(i+2)%3], &rows[(i+1)%3]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(above[j]+1, row[j-1]+1, above[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return rows[len(a)%3][len(b)]
}
