// Package output has what the commands for people and pipelines print in the same way: to terminals, pipes and files, numbers of things, words of
// shells, JSON and YAML.
package output

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"
)

// Count of things with their noun, such as 1 graph or 2 graphs.
func Count[N int | int32 | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Columns of the terminals for which text is folded.
const Columns = 80

// Folded text in lines of 80 columns, as far as it has spaces. The first line begins with one text, and those after it with another.
func Folded(text, first, others string) string {
	var out strings.Builder
	for rest := []rune(text); ; first = others {
		room := max(Columns-len([]rune(first)), 1)
		end := len(rest)
		if end > room {
			for end = room; end > 0 && rest[end] != ' '; end-- {
			}
			if end == 0 {
				// A word is not torn apart.
				for end = room; end < len(rest) && rest[end] != ' '; end++ {
				}
			}
		}
		out.WriteString(first + strings.TrimRight(string(rest[:end]), " ") + "\n")
		if rest = []rune(strings.TrimLeft(string(rest[end:]), " ")); len(rest) == 0 {
			return out.String()
		}
	}
}

// JSON of a value, indented, and with the characters of HTML as they are.
func JSON(value any, indent string) (string, error) {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetIndent("", indent)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return "", errors.Errorf("cannot encode JSON: %w", err)
	}
	return escaped(out.String(), escapeJSON), nil
}
