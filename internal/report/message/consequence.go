package message

import (
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
)

// IsConsequence reports whether a message says that a field is missing, or that the name of an item is, and another message is why: the field, or
// an object with it, is in the wrong place, is misspelt or cannot be read.
func (m *Message) IsConsequence(others List) bool {
	return slices.ContainsFunc(others, func(cause *Message) bool {
		switch {
		case cause.Code == rule.UnknownField && isNameBeside(m.Field, cause):
			return true
		case m.Problem != field.ErrorTypeRequired:
			return false
		case cause.Code == rule.WrongType:
			return isWithin(m.Field, cause.Field)
		case cause.Code == rule.UnknownField:
			parent, name := splitLast(cause.Field)
			if !isWithin(m.Field, parent) {
				return false
			}
			missing := strings.FieldsFunc(m.Field[len(parent):], func(r rune) bool { return strings.ContainsRune(".[]", r) })
			return slices.ContainsFunc([]string{name, cause.Unknown.Meant, cause.Unknown.MovedTo}, func(n string) bool { return slices.Contains(missing, n) })
		default:
			return false
		}
	})
}

// IsWithin reports whether a message is about the field of another one, or about something in it.
func (m *Message) IsWithin(others List) bool {
	return slices.ContainsFunc(others, func(other *Message) bool { return isWithin(m.Field, other.Field) })
}

// isWithin reports whether a path is that of a field, or of something in it.
func isWithin(path, parent string) bool {
	rest, ok := strings.CutPrefix(path, parent)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// isNameBeside reports whether a field is the name of an item that has an unknown field, which is to be set elsewhere: the item means something
// else, such as a reference in place of a variable, and its empty name is missing or invalid.
func isNameBeside(path string, unknown *Message) bool {
	item, _ := splitLast(unknown.Field)
	return isItem(item) && path == item+".name" && !unknown.Unknown.Useless
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
