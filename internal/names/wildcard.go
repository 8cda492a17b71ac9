package names

import (
	"slices"
	"strings"
)

// any number of any characters.
const wildcard = "*"

// separator of the parts of a path.
const separator = "/"

// Match reports whether a pattern, in which an asterisk stands for any characters, is all of a name.
func Match(pattern, name string) bool {
	parts := strings.Split(pattern, wildcard)
	first, last := parts[0], parts[len(parts)-1]
	if len(parts) == 1 {
		return pattern == name
	}
	if len(name) < len(first)+len(last) || !strings.HasPrefix(name, first) || !strings.HasSuffix(name, last) {
		return false
	}
	between := name[len(first) : len(name)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		// The leftmost place leaves the most for the parts after it.
		_, after, found := strings.Cut(between, part)
		if !found {
			return false
		}
		between = after
	}
	return true
}

// MatchBelow reports whether a pattern is the beginning of a path, up to the end of one of its parts. An asterisk stands for characters of one
// part: a pattern for a host is about the host, whatever follows it.
func MatchBelow(pattern, path string) bool {
	patterns, parts := strings.Split(pattern, separator), strings.Split(path, separator)
	if len(patterns) > len(parts) {
		return false
	}
	for i, pattern := range patterns {
		if !Match(pattern, parts[i]) {
			return false
		}
	}
	return true
}

// MatchAny reports whether any of the patterns matches a name.
func MatchAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return Match(pattern, name) })
}
