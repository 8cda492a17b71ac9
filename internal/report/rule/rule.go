// Package rule is the table of what can be wrong with a graph. Each rule has a code, by which pipelines select and suppress messages. A
// code never changes its meaning, and the code of a rule that no longer exists is not used again.
package rule

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A Code names a rule.
type Code string

// prefix of all codes.
const prefix = "DGD"

// Rule in the words of its users.
type Rule struct {
	Code Code `json:"code"`

	// Name in the form of an identifier, and Title in one line.
	Name  string `json:"name"`
	Title string `json:"title"`

	// Wrong is what is wrong, and Remedy is what to do.
	Wrong  string `json:"wrong"`
	Remedy string `json:"remedy"`

	// Example is a part of a manifest that breaks the rule.
	Example string `json:"example"`
}

// Of a code. ok is false if there is no such rule.
func Of(code Code) (r Rule, ok bool) {
	all := Rules()
	i := slices.IndexFunc(all, func(r Rule) bool { return r.Code == Code(strings.ToUpper(string(code))) })
	if i < 0 {
		return Rule{}, false
	}
	return all[i], true
}

// DependsOnPlatform reports whether the same graph can break a rule on one platform and not on another.
func (c Code) DependsOnPlatform() bool {
	switch c {
	case Topology, OnGrove, OffGrove, OnLeaderWorkerSets:
		return true
	default:
		return strings.HasPrefix(string(c), prefix+"3")
	}
}

// A Warning about a graph that is accepted.
type Warning struct {
	Code Code

	// Text begins with the path of a field in most cases.
	Text string
}

// Warnings of a rule.
func Warnings(code Code, texts ...string) []Warning {
	warnings := make([]Warning, 0, len(texts))
	for _, text := range texts {
		warnings = append(warnings, Warning{Code: code, Text: text})
	}
	return warnings
}

// Field is the path of a field within a text. Like the words of a text that differ between the forms of a graph, such as {{service}}, it is
// in double braces until Text of the graph words it.
func Field(path fmt.Stringer) string { return "{{" + path.String() + "}}" }

// Texts of warnings.
func Texts(warnings []Warning) []string {
	var texts []string
	for _, w := range warnings {
		texts = append(texts, w.Text)
	}
	return texts
}

// Mark errors as those of a rule, unless they already are of one.
func Mark(code Code, errs field.ErrorList) field.ErrorList {
	for _, e := range errs {
		// Functions of Kubernetes set an origin of their own.
		if !strings.HasPrefix(e.Origin, prefix) {
			e.Origin = string(code)
		}
	}
	return errs
}

// MarkDecoded marks errors about fields that cannot be decoded.
func MarkDecoded(errs field.ErrorList) field.ErrorList {
	for _, e := range errs {
		Mark(ofDecoded(e), field.ErrorList{e})
	}
	return errs
}

func ofDecoded(e *field.Error) Code {
	switch {
	case e.Type == field.ErrorTypeForbidden, strings.HasPrefix(e.Detail, "unknown field"), strings.HasPrefix(e.Detail, "has an unknown field"):
		return UnknownField
	case e.Type == field.ErrorTypeTypeInvalid:
		return WrongType
	case e.Type == field.ErrorTypeRequired:
		return MissingField
	default:
		return WrongFormat
	}
}

// CodeOf an error.
func CodeOf(e *field.Error) Code {
	if strings.HasPrefix(e.Origin, prefix) {
		return Code(e.Origin)
	}
	return Schema
}
