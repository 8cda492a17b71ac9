// Package output has what the commands for people and pipelines print in the same way: to terminals, pipes and files, numbers of things, words of
// shells, JSON and YAML.
package output

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

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
	var lines []string
	line, begun := first, false
	for word := range strings.SplitSeq(text, " ") {
		if begun && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > Columns {
			lines = append(lines, line)
			line, begun = others, false
		}
		if begun {
			line += " "
		}
		line, begun = line+word, true
	}
	return strings.Join(append(lines, line), "\n") + "\n"
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
