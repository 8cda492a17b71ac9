package strict

import "strings"

// nearest is the name that name was probably meant to be, or nothing.
func nearest(name string, names []string) string {
	if len(name) > maxShown {
		return ""
	}
	best, bestDistance := "", len(name)/3+2
	for _, n := range names {
		if strings.EqualFold(n, name) {
			return n
		}
		if dist := distance(strings.ToLower(name), strings.ToLower(n)); dist < bestDistance {
			best, bestDistance = n, dist
		}
	}
	if bestDistance >= max(len(name), len(best)) {
		return ""
	}
	return best
}

// distance is the number of inserted, deleted, replaced or swapped neighbouring bytes between a and b.
func distance(a, b string) int {
	before := make([]int, len(b)+1)
	above := make([]int, len(b)+1)
	for j := range above {
		above[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
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
		before, above = above, row
	}
	return above[len(b)]
}
