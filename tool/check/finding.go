// Package check finds all that is wrong with graphs before they are applied: their schema and its rules, what step plan refuses or warns
// of, and whether the API server would accept what they become.
package check

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
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

	// Graph is the namespace and name of the graph. Empty if the file is wrong.
	Graph string `json:"graph,omitempty"`

	// Field of the graph and its value, as far as they may be shown.
	Field string `json:"field,omitempty"`
	Value any    `json:"value,omitempty"`

	// Meant is the field that was probably meant in place of one that does not exist. Empty if there is none.
	Meant string `json:"-"`

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
		f.Message, f.Remedy = strict.OneLine(strict.WithoutCredentials(f.Message)), strict.OneLine(strict.WithoutCredentials(f.Remedy))
		f.Field = strict.OneLine(f.Field)
		if text, ok := f.Value.(string); ok {
			f.Value = strict.WithoutCredentials(text)
		}
	}
	slices.SortStableFunc(findings, compare)
	return slices.CompactFunc(findings, same)
}

// ofMessage is a finding at the field of a message, in the words of the form in which the graph is written.
func ofMessage(o *manifest.Object, severity Severity, m *message.Message, w message.Words) Finding {
	f := Finding{
		Severity: severity, Code: m.Code, Field: pathOf(m.FieldIn(w)), Meant: m.Unknown.Meant,
		Message: m.Detail.In(w), Remedy: cmp.Or(m.Detail.Remedy(w), remedyOf(m.Code)),
	}
	if m.Problem != "" {
		f.Value = shown(m.Value)
		f.Message = detail(m.ErrorIn(w), f.Value)
	}
	if f.Position, _ = o.At(f.Field); f.Code == rule.UnknownField {
		f.Position, _ = o.Key(f.Field)
	}
	return f
}

// elements of a path: fields, and keys, names and indices of items.
var elements = regexp.MustCompile(`\.?[^.\[\]]+|\[[^\]]*\]`)

// byName is a path in which items that have a name have it, as in the messages of the functions, and not the index by which the schema knows them.
func byName(o *manifest.Object, path string) string {
	value := any(o.Object)
	return elements.ReplaceAllStringFunc(path, func(element string) string {
		key := strings.Trim(element, ".[]")
		switch t := value.(type) {
		case map[string]any:
			value = t[key]
		case []any:
			value = nil
			if i, err := strconv.Atoi(key); err == nil && i < len(t) {
				value = t[i]
			}
			if item, ok := value.(map[string]any); ok && isPlainName(item["name"]) {
				return fmt.Sprintf("[%s]", item["name"])
			}
		}
		return element
	})
}

// ofError is a finding at the field of an error of the API server.
func ofError(o *manifest.Object, e *field.Error) Finding {
	m := message.Of(e)
	m.Code = rule.CodeOf(e)
	f := ofMessage(o, Error, m, message.Components{})
	f.Field = byName(o, f.Field)
	return f
}

// about a field of a file is a finding of this program itself.
func about(o *manifest.Object, severity Severity, code rule.Code, path, format string, args ...any) Finding {
	f := ofMessage(o, severity, &message.Message{Code: code, Field: path, Written: true, Detail: message.Format(format, args...)}, message.Components{})
	f.Field = byName(o, f.Field)
	return f
}

// pathOf a field. Errors about the whole object have none.
func pathOf(path string) string {
	if path == "<nil>" {
		return ""
	}
	return path
}

// detail is what an error says of its field. Objects and lists are too long for a message, and what is in them may be secret.
func detail(e *field.Error, value any) string {
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

// remedyOf a rule.
func remedyOf(code rule.Code) string {
	r, _ := rule.Of(code)
	return r.Remedy
}
