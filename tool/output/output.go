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
