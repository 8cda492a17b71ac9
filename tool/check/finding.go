// Package check finds all that is wrong with graphs before they are applied: their schema and its rules, what step plan refuses or warns
// of, and whether the API server would accept what they become.
package check

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/manifest"
)

// Severity of a finding.
type Severity string

// Severities. A graph with an error is refused.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// A Finding is something that is wrong at a position.
type Finding struct {
	manifest.Position

	Severity Severity  `json:"severity"`
	Code     rule.Code `json:"code"`

	// Graph is the namespace and name of the graph. Empty: the file is wrong.
	Graph string `json:"graph,omitempty"`

	// Field of the graph and its value, as far as they may be shown.
	Field string `json:"field,omitempty"`
	Value any    `json:"value,omitempty"`

	// Message is what is wrong, without the field, and Remedy is what to do.
	Message string `json:"message"`
	Remedy  string `json:"remedy"`
}

// Text of the finding, with its field.
func (f *Finding) Text() string {
	if f.Field == "" {
		return f.Message
	}
	return f.Field + ": " + f.Message
}

// String is the finding in one line, in the form of compilers.
func (f *Finding) String() string { return f.line(string(f.Severity)) }

func (f *Finding) line(severity string) string {
	return fmt.Sprintf("%s: %s: %s [%s]", f.Position, severity, strict.Visible(f.Text()), f.Code)
}

// compare by position, the order in which people read.
func compare(a, b Finding) int {
	return cmp.Or(
		strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
		strings.Compare(string(a.Severity), string(b.Severity)), strings.Compare(string(a.Code), string(b.Code)), strings.Compare(a.Text(), b.Text()),
	)
}

func same(a, b Finding) bool { return compare(a, b) == 0 }

// sorted findings, each once.
func sorted(findings []Finding) []Finding {
	for i := range findings {
		f := &findings[i]
		f.Message, f.Remedy = strict.WithoutCredentials(f.Message), strict.WithoutCredentials(f.Remedy)
		if text, ok := f.Value.(string); ok {
			f.Value = strict.WithoutCredentials(text)
		}
	}
	slices.SortStableFunc(findings, compare)
	return slices.CompactFunc(findings, same)
}

// ofError is a finding at the field of an error.
func ofError(o *manifest.Object, e *field.Error) Finding {
	f := Finding{Severity: Error, Code: rule.CodeOf(e), Field: pathOf(e.Field), Value: shown(e.BadValue)}
	f.Message = body(e, f.Value)
	if f.Position, _ = o.At(f.Field); f.Code == rule.UnknownField {
		f.Position, _ = o.Key(f.Field)
	}
	f.Remedy = remedy(f.Code, e.Detail)
	return f
}

// pathOf a field. Errors about the whole object have none.
func pathOf(path string) string {
	if path == "<nil>" {
		return ""
	}
	return path
}

// body of an error. Objects and lists are too long for a message, and what is in them may be secret.
func body(e *field.Error, value any) string {
	if value == nil && e.BadValue != nil {
		short := *e
		short.BadValue = field.OmitValueType{}
		e = &short
	}
	return e.ErrorBody()
}

// shown is a value that is short enough to be of use. Errors omit values that may be secret.
func shown(value any) any {
	switch value.(type) {
	case string, bool, int, int32, int64, float32, float64:
		if data, err := json.Marshal(value); err == nil && string(data) != `""` {
			return value
		}
	}
	return nil
}

// ofWarning is a finding at the field with which the text of a warning begins.
func ofWarning(o *manifest.Object, severity Severity, w rule.Warning) Finding {
	path, message := splitPath(w.Text)
	f := Finding{Severity: severity, Code: w.Code, Field: path, Message: message, Remedy: remedy(w.Code, message)}
	f.Position, _ = o.At(path)
	return f
}

// splitPath splits the path of a field from a message. There is none if the message does not begin with it.
func splitPath(text string) (path, message string) {
	if !strings.HasPrefix(text, "spec") && !strings.HasPrefix(text, "metadata") {
		return "", text
	}
	depth := 0
	for i, r := range text {
		switch {
		case r == '[':
			depth++
		case r == ']':
			depth--
		case depth == 0 && r == ' ':
			return "", text
		case depth == 0 && strings.HasPrefix(text[i:], ": "):
			return text[:i], text[i+2:]
		}
	}
	return "", text
}

// remedy in a message: what follows the last semicolon, otherwise that of the rule.
func remedy(code rule.Code, message string) string {
	if i := strings.LastIndex(message, "; "); i >= 0 {
		return message[i+2:]
	}
	r, _ := rule.Of(code)
	return r.Remedy
}
