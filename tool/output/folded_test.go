package output

import (
	"strings"
	"testing"
)

// TestFolded folds texts of words of all lengths: no word is lost, and no line is longer than it has to be.
func TestFolded(t *testing.T) {
	for size := range 100 {
		for _, count := range []int{0, 1, 2, 30} {
			word := strings.Repeat("ä", size)
			text := strings.TrimSpace(strings.Repeat(word+" b ", count))
			got := Folded(text, "├─ ", "│     ")
			var words []string
			for i, line := range strings.Split(strings.TrimSuffix(got, "\n"), "\n") {
				prefix := "│     "
				if i == 0 {
					prefix = "├─ "
				}
				rest, ok := strings.CutPrefix(line, strings.TrimRight(prefix, " "))
				if !ok || len([]rune(line)) > Columns && len(strings.Fields(rest)) > 1 {
					t.Errorf("Folded(%d words of %d letters): got line %q", count, size, line)
				}
				words = append(words, strings.Fields(rest)...)
			}
			if got, want := strings.Join(words, " "), strings.Join(strings.Fields(text), " "); got != want {
				t.Errorf("Folded(%d words of %d letters): want the words %q, got %q", count, size, want, got)
			}
		}
	}
}
