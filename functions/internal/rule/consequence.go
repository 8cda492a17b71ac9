package rule

import (
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// IsConsequence reports whether an error says that a field is missing, and another error is why: the field, or an object with it, is in the
// wrong place, is misspelt or cannot be read.
func IsConsequence(e *field.Error, others field.ErrorList) bool {
	return e.Type == field.ErrorTypeRequired && slices.ContainsFunc(others, func(cause *field.Error) bool {
		switch CodeOf(cause) {
		case WrongType:
			return isWithin(e.Field, cause.Field)
		case UnknownField:
			parent, name := splitLast(cause.Field)
			if !isWithin(e.Field, parent) {
				return false
			}
			missing := strings.FieldsFunc(e.Field[len(parent):], func(r rune) bool { return strings.ContainsRune(".[]", r) })
			return slices.Contains(missing, name) || slices.Contains(missing, quotedIn(cause.Detail))
		default:
			return false
		}
	})
}

// isWithin reports whether a path is that of a field, or of something in it.
func isWithin(path, of string) bool {
	rest, ok := strings.CutPrefix(path, of)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// splitLast splits the name of a field from the path of its object.
func splitLast(path string) (parent, name string) {
	i := strings.LastIndex(path, ".")
	return path[:max(i, 0)], path[i+1:]
}

// quotedIn a remedy is the field that was probably meant. Empty: there is none.
func quotedIn(detail string) string {
	_, rest, found := strings.Cut(detail, `"`)
	if name, _, closed := strings.Cut(rest, `"`); found && closed {
		if unquoted, err := strconv.Unquote(`"` + name + `"`); err == nil {
			return unquoted
		}
	}
	return ""
}
