package strict

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

const (
	// maxErrors is how many errors are reported. The rest is counted.
	maxErrors = 50
	// maxCollected limits the number of errors in memory, for hostile inputs.
	maxCollected = 2000
	// maxShown is how many characters of a value or name are printed.
	maxShown = 64
)

// A collector gathers a limited number of errors.
type collector struct {
	errs field.ErrorList
	more int
}

func (c *collector) add(err *field.Error) {
	if c.counted() {
		return
	}
	c.errs = append(c.errs, err)
}

// counted reports whether the next error is only counted, and counts it. Its message is then not needed.
func (c *collector) counted() bool {
	if len(c.errs) < maxCollected {
		return false
	}
	c.more++
	return true
}

// list of errors, sorted by path, and cut if it is too long to read. The last entry, at root, contains the number of the others.
func (c *collector) list(root *field.Path) field.ErrorList {
	errs := c.errs
	slices.SortStableFunc(errs, func(a, b *field.Error) int { return strings.Compare(a.Field, b.Field) })
	if len(errs) <= maxErrors {
		return errs
	}
	more := c.more + len(errs) - maxErrors
	return append(errs[:maxErrors:maxErrors], field.Invalid(root, field.OmitValueType{}, fmt.Sprintf("%d more errors are not shown; fix these first", more)))
}

// secretFields contain command lines, variables and headers, in which users write credentials.
func secretFields() []string {
	return []string{"args", "command", "env", "envFrom", "envs", "httpHeaders"}
}

// IsSecretField reports whether a field contains command lines or variables.
func IsSecretField(name string) bool { return slices.Contains(secretFields(), name) }

// IsSecretPath reports whether one of the fields of a path contains command lines or variables.
func IsSecretPath(path string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune(".[]", r) }), IsSecretField)
}

// soundsSecret reports whether an unknown field may contain a credential: because of a word in its name, or because it may be a misspelled
// field with one.
func soundsSecret(name string) bool {
	if Nearest(name, append(secretFields(), "value")) != "" {
		return true
	}
	name = strings.ToLower(name)
	words := []string{"token", "secret", "passw", "credential", "key", "auth", "env", "value", "args", "argument", "command", "cmd", "entrypoint", "flag"}
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(name, word) })
}

// shown is the part of a value in an error: nothing of secrets, objects and lists, and the beginning of a long string.
func shown(value *structpb.Value, secret bool) any {
	if secret {
		return field.OmitValueType{}
	}
	switch kind := value.GetKind().(type) {
	case *structpb.Value_BoolValue:
		return kind.BoolValue
	case *structpb.Value_StringValue:
		return Printable(kind.StringValue)
	case *structpb.Value_NumberValue:
		if n, ok := whole(value); ok {
			return n
		}
		return kind.NumberValue
	default:
		return field.OmitValueType{}
	}
}

// Printable cuts s to 64 characters, masks credentials, and replaces characters that would break a line of output.
func Printable(s string) string {
	s = WithoutCredentials(s)
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n == maxShown {
			return b.String() + "..."
		}
		b.WriteRune(printable(r))
		n++
	}
	return b.String()
}

// PrintablePath is the path of an error with the same characters as paths of this package.
func PrintablePath(path string) string { return strings.Map(printable, path) }

func printable(r rune) rune {
	if r == utf8.RuneError || !unicode.IsPrint(r) {
		return '?'
	}
	return r
}

// Visible replaces characters that are not. Texts of users, such as names and hosts, are parts of messages that others read, so it also masks
// credentials.
func Visible(s string) string {
	return strings.Map(func(r rune) rune {
		if !IsVisible(r) {
			return '?'
		}
		return r
	}, WithoutCredentials(s))
}

// OneLine replaces ends of lines and tabs in a text of a user, which would otherwise look like another message.
func OneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		return r
	}, s)
}

// IsVisible reports whether a terminal or an editor shows a character rather than acts on it, as on control characters, other than the ends of lines
// and tabs, and on those that change the direction of text. It shows no code points that are no characters, which YAML cannot have either.
func IsVisible(r rune) bool {
	return r == '\n' || r == '\t' || !unicode.IsControl(r) && !unicode.In(r, unicode.Cf, unicode.Noncharacter_Code_Point)
}
