package message

import (
	"fmt"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Words of the form in which a graph is written.
type Words interface {
	// Field is the path of a field, given that in the form with components.
	Field(path string) string

	// Word is a term, given that of the form with components, such as type.
	Word(term string) string
}

// Components are the words of the form with components.
type Components struct{}

// Field is the path itself.
func (Components) Field(path string) string { return path }

// Word is the term itself.
func (Components) Word(term string) string { return term }

// A Text is a format with arguments. In the format, words that differ between the forms of a graph are those of components in double braces:
// {{component}}, {{spec.env}}. Paths, other texts, and errors that are texts are arguments, and are worded as well. All other arguments
// are written as they are: names of objects and values of users can contain anything.
type Text struct {
	format string
	args   []any
}

// Format a text.
func Format(format string, args ...any) Text {
	if false {
		_ = fmt.Sprintf(format, args...) // With this, go vet checks the formats of messages.
	}
	return Text{format: format, args: args}
}

// A TextError is a text that says why something cannot be decided.
type TextError struct{ Text }

// Error is an error with a text.
func Error(format string, args ...any) error { return TextError{Format(format, args...)} }

// Error in the words of the form with components.
func (e TextError) Error() string { return e.String() }

// Plain is a text that is the same in all forms.
func Plain(text string) Text { return Text{format: "%s", args: []any{text}} }

// Optional is a plain text, or none if it is empty.
func Optional(text string) Text {
	if text == "" {
		return Text{}
	}
	return Plain(text)
}

// First of some texts that is not zero.
func First(texts ...Text) Text {
	for _, t := range texts {
		if !t.IsZero() {
			return t
		}
	}
	return Text{}
}

// Join texts.
func Join(texts []Text, separator string) Text {
	args := make([]any, 0, len(texts))
	for _, t := range texts {
		args = append(args, t)
	}
	return Text{format: strings.TrimSuffix(strings.Repeat("%s"+escaped(separator), len(texts)), escaped(separator)), args: args}
}

func escaped(text string) string { return strings.ReplaceAll(text, "%", "%%") }

// marked matches a word in double braces.
var marked = regexp.MustCompile(`\{\{(.+?)\}\}`)

// isPath matches the path of a field of a graph.
var isPath = regexp.MustCompile(`^(?:spec|metadata)(?:[.\[]|$)`)

// In the words of a form.
func (t Text) In(w Words) string {
	format := marked.ReplaceAllStringFunc(t.format, func(match string) string {
		term := strings.TrimSuffix(strings.TrimPrefix(match, "{{"), "}}")
		if isPath.MatchString(term) {
			return escaped(w.Field(term))
		}
		return escaped(w.Word(term))
	})
	args := make([]any, 0, len(t.args))
	for _, arg := range t.args {
		args = append(args, worded(arg, w))
	}
	return fmt.Sprintf(format, args...)
}

// Remedy of a text is what follows its last semicolon, in the words of a form. Empty if the text has none.
func (t Text) Remedy(w Words) string {
	const mark = "; "
	if i := strings.LastIndex(t.format, mark); i >= 0 {
		return Text{format: t.format[i+len(mark):], args: t.argsFrom(t.format[:i])}.In(w)
	}
	if len(t.args) == 0 || !strings.HasSuffix(t.format, "%s") {
		return ""
	}
	switch last := t.args[len(t.args)-1].(type) {
	case Text:
		return last.Remedy(w)
	case string:
		if i := strings.LastIndex(last, mark); i >= 0 {
			return last[i+len(mark):]
		}
	}
	return ""
}

// verb of a format.
var verb = regexp.MustCompile(`%(?:%|[-+# 0-9.]*(\[\d+\])?[a-zA-Z])`)

// argsFrom are the arguments after those of the beginning of the format. Formats whose verbs have indices refer to all of them.
func (t Text) argsFrom(beginning string) []any {
	used := 0
	for _, match := range verb.FindAllStringSubmatch(beginning, -1) {
		if match[1] != "" {
			return t.args
		}
		if match[0] != "%%" {
			used++
		}
	}
	return t.args[min(used, len(t.args)):]
}

// worded is an argument in the words of a form.
func worded(arg any, w Words) any {
	switch a := arg.(type) {
	case *field.Path:
		return w.Field(a.String())
	case Text:
		return a.In(w)
	case TextError:
		return a.In(w)
	}
	return arg
}

// String is the text in the words of the form with components.
func (t Text) String() string { return t.In(Components{}) }

// IsZero reports whether there is no text.
func (t Text) IsZero() bool { return t.format == "" }
