// Package rule is the table of what can be wrong with a graph. Each rule has a code, by which pipelines select and suppress messages. A
// code never changes its meaning, and the code of a rule that no longer exists is not used again.
package rule

import (
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

	// Samples are one for each way to break the rule that its text has.
	Samples []Sample `json:"samples,omitempty"`
}

// A Sample is a part of a manifest that breaks a rule, and the same part without the mistake.
type Sample struct {
	Wrong string `json:"wrong"`
	Right string `json:"right"`
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

// IsAboutForm reports whether a rule is about the syntax of files and the types of fields, and not about what the values mean.
func (c Code) IsAboutForm() bool {
	return c != SchemaRule && (strings.HasPrefix(string(c), prefix+"0") || strings.HasPrefix(string(c), prefix+"1"))
}

// Mark errors as those of a rule, unless they already are of one.
func Mark(code Code, errs field.ErrorList) field.ErrorList {
	for _, e := range errs {
		if !HasCode(e) {
			e.Origin = string(code)
		}
	}
	return errs
}

// HasCode reports whether an error is marked as that of a rule. Functions of Kubernetes set an origin of their own.
func HasCode(e *field.Error) bool { return strings.HasPrefix(e.Origin, prefix) }

// OfDecoded is the rule that an error about a field that cannot be decoded breaks. unknown says that the field does not exist.
func OfDecoded(e *field.Error, unknown bool) Code {
	switch {
	case unknown, e.Type == field.ErrorTypeForbidden:
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
	if HasCode(e) {
		return Code(e.Origin)
	}
	return Schema
}
