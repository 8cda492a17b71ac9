package rule

import (
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// IsConsequence reports whether an error says that a field is missing, or that the name of an item is, and another error is why: the field, or
// an object with it, is in the wrong place, is misspelt or cannot be read.
func IsConsequence(e *field.Error, others field.ErrorList) bool {
	return slices.ContainsFunc(others, func(cause *field.Error) bool {
		switch code := CodeOf(cause); {
		case code == UnknownField && isNameBeside(e.Field, cause):
			return true
		case e.Type != field.ErrorTypeRequired:
			return false
		case code == WrongType:
			return isWithin(e.Field, cause.Field)
		case code == UnknownField:
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

// isNameBeside reports whether a field is the name of an item that has an unknown field, which is to be set elsewhere: the item means something
// else, such as a reference in place of a variable, and its empty name is missing or invalid.
func isNameBeside(path string, unknown *field.Error) bool {
	item, _ := splitLast(unknown.Field)
	return isItem(item) && path == item+".name" && !strings.HasSuffix(unknown.Detail, "remove it")
}

// isItem reports whether a path is that of an item of a list, by its name or its index.
func isItem(path string) bool {
	_, last := splitLast(path)
	_, err := strconv.Atoi(last)
	return strings.HasSuffix(path, "]") || err == nil
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
