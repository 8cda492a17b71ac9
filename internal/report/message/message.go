// Package message holds what is said about a graph as data: what is wrong, with which field, and what to do. A message becomes words once, when
// somebody reads it, in the form in which the graph is written. Nothing reads or changes a text that is finished.
package message

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
)

// A Message about a graph.
type Message struct {
	// Code of the rule that the graph breaks.
	Code rule.Code

	// Problem with the value of the field, in the terms of errors of Kubernetes. It is empty if the value itself is not wrong.
	Problem field.ErrorType

	// Field is a path in the form with components, or that of a field of something else, such as the policy. It is empty if the message is about no
	// field.
	Field string

	// Written says that Field is a path in the form in which the graph is written.
	Written bool

	// Value of the field, if there is a problem with it. It is field.OmitValueType if it may not be shown.
	Value any

	// Detail is what is wrong, and what to do.
	Detail Text

	// Lack says that the graph lacks something, which may be in a field that cannot be read.
	Lack bool

	// Unknown is what the field could stand for, if it does not exist.
	Unknown strict.Unknown
}

// A List of messages.
type List []*Message

// Because of something that is in no field.
func Because(format string, args ...any) *Message { return &Message{Detail: Format(format, args...)} }

// About a field whose value is not wrong by itself.
func About(path *field.Path, format string, args ...any) *Message {
	return &Message{Field: path.String(), Detail: Format(format, args...)}
}

// Invalid is the value of a field. It is not shown if it is field.OmitValueType.
func Invalid(path *field.Path, value any, format string, args ...any) *Message {
	return &Message{Problem: field.ErrorTypeInvalid, Field: path.String(), Value: value, Detail: Format(format, args...)}
}

// Forbidden is a field that may not be set.
func Forbidden(path *field.Path, format string, args ...any) *Message {
	return &Message{Problem: field.ErrorTypeForbidden, Field: path.String(), Value: "", Detail: Format(format, args...)}
}

// Required is a field that has to be set.
func Required(path *field.Path, format string, args ...any) *Message {
	return &Message{Problem: field.ErrorTypeRequired, Field: path.String(), Value: "", Detail: Format(format, args...)}
}

// NotSupported is a value that is none of those that a field can have.
func NotSupported[T ~string](path *field.Path, value any, supported []T) *Message {
	m := ofComponents(field.NotSupported(path, value, supported))
	words := make([]string, 0, len(supported))
	for _, word := range supported {
		words = append(words, string(word))
	}
	if text := fmt.Sprint(value); len(text) > 2 && strict.Near(text, words) != "" {
		m.Detail = Format("%s; did you mean %q?", m.Detail, strict.Near(text, words))
	}
	return m
}

// TooMany items are in a list.
func TooMany(path *field.Path, items, most int) *Message {
	return ofComponents(field.TooMany(path, items, most))
}

// Internal is an error that the user of a graph cannot correct.
func Internal(path *field.Path, err error) *Message {
	return ofComponents(field.InternalError(path, err))
}

// Of an error of Kubernetes or of the decoder, with the field as it is.
func Of(e *field.Error) *Message {
	m := &Message{Problem: e.Type, Field: e.Field, Written: true, Value: e.BadValue, Detail: Plain(WithoutPattern(e.Detail))}
	if rule.HasCode(e) {
		m.Code = rule.CodeOf(e)
	}
	return m
}

// pattern that Kubernetes adds to what it says of a name, behind examples of names that are valid.
var pattern = regexp.MustCompile(`, regex used for validation is '[^']*'`)

// WithoutPattern is what Kubernetes says of a value, without the regular expression.
func WithoutPattern(problem string) string { return pattern.ReplaceAllString(problem, "") }

// ofComponents is the message of an error whose field is in the form with components.
func ofComponents(e *field.Error) *Message {
	m := Of(e)
	m.Written = false
	return m
}

// OfErrors of Kubernetes or of the decoder.
func OfErrors(errs field.ErrorList) List {
	var list List
	for _, e := range errs {
		list = append(list, Of(e))
	}
	return list
}

// Mark messages as those of a rule, unless they already are of one.
func (l List) Mark(code rule.Code) List {
	for _, m := range l {
		m.Code = cmp.Or(m.Code, code)
	}
	return l
}

// In the words of a form, a message is one text in one line that begins with its field.
func (m *Message) In(w Words) string {
	text := m.Detail.In(w)
	switch {
	case m.Problem != "":
		text = m.ErrorIn(w).Error()
	case m.Field != "":
		text = m.FieldIn(w) + ": " + text
	}
	return strict.OneLine(text)
}

// FieldIn the words of a form is the path of the field.
func (m *Message) FieldIn(w Words) string {
	if m.Written {
		return m.Field
	}
	return w.Field(m.Field)
}

// ErrorIn the words of a form is a message about the value of a field as an error of Kubernetes, with the code of its rule as its origin.
func (m *Message) ErrorIn(w Words) *field.Error {
	return &field.Error{Type: m.Problem, Field: m.FieldIn(w), BadValue: m.Value, Detail: m.Detail.In(w), Origin: string(m.Code)}
}

// ErrorsIn the words of a form are messages as errors of Kubernetes.
func (l List) ErrorsIn(w Words) field.ErrorList {
	var errs field.ErrorList
	for _, m := range l {
		errs = append(errs, m.ErrorIn(w))
	}
	return errs
}

// String is the message in the words of the form with components.
func (m *Message) String() string { return m.In(Components{}) }

// Texts of messages in the words of a form.
func (l List) Texts(w Words) []string {
	var texts []string
	for _, m := range l {
		texts = append(texts, m.In(w))
	}
	return texts
}

// Sorted messages by their texts in the words of a form, each once.
func (l List) Sorted(w Words) List {
	type said struct {
		text    string
		message *Message
	}
	all := make([]said, 0, len(l))
	for _, m := range l {
		all = append(all, said{text: m.In(w), message: m})
	}
	slices.SortStableFunc(all, func(a, b said) int { return strings.Compare(a.text, b.text) })
	var sorted List
	for _, s := range slices.CompactFunc(all, func(a, b said) bool { return a.text == b.text }) {
		sorted = append(sorted, s.message)
	}
	return sorted
}

// maxErrors is how many errors in fields are reported. The rest is counted.
const maxErrors = 50

// Bounded sorts messages by their fields in the words of a form, and cuts the list if it is too long to read. The last message, about root,
// contains the number of the others.
func (l List) Bounded(root *field.Path, w Words) List {
	slices.SortStableFunc(l, func(a, b *Message) int {
		if order := strings.Compare(a.FieldIn(w), b.FieldIn(w)); order != 0 {
			return order
		}
		// Texts are made only where they are needed.
		return strings.Compare(a.In(w), b.In(w))
	})
	if len(l) <= maxErrors {
		return l
	}
	more := len(l) - maxErrors
	return append(l[:maxErrors:maxErrors], Invalid(root, field.OmitValueType{}, "%d more errors are not shown; fix these first", more))
}
