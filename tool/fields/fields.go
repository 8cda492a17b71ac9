// Package fields describes the fields of the API: their types and limits, and what becomes of them on each orchestrator, as the test of all
// fields has found it.
package fields

import (
	"strings"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// ElementOf a list or a map: its items or values.
func ElementOf(s *extv1.JSONSchemaProps) (element *extv1.JSONSchemaProps, suffix string) {
	switch {
	case s.Items != nil && s.Items.Schema != nil:
		return s.Items.Schema, "[]"
	case s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil:
		return s.AdditionalProperties.Schema, ".*"
	default:
		return s, ""
	}
}

// TypeOf a field in words.
func TypeOf(s *extv1.JSONSchemaProps) string {
	element, suffix := ElementOf(s)
	switch {
	case suffix == "[]":
		return "list of " + TypeOf(element)
	case suffix == ".*":
		return "map of " + TypeOf(element)
	case s.XIntOrString:
		return "quantity"
	case s.Type == "":
		return "any"
	default:
		return s.Type
	}
}

// Values of an enumeration.
func Values(s *extv1.JSONSchemaProps) []string {
	var values []string
	for _, value := range s.Enum {
		values = append(values, strings.Trim(string(value.Raw), `"`))
	}
	return values
}

// Summary is the first sentence of a description.
func Summary(description string) string {
	line, _, _ := strings.Cut(description, "\n")
	for i := range len(line) - 1 {
		if line[i] == '.' && line[i+1] == ' ' && !strings.HasSuffix(line[:i], "e.g") {
			return line[:i+1]
		}
	}
	return line
}
