package fields

import (
	"fmt"
	"strings"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Limits of a field in words: its default, and what the API server restricts it to, apart from patterns.
func Limits(s *extv1.JSONSchemaProps) string {
	var limits []string
	add := func(format string, args ...any) { limits = append(limits, fmt.Sprintf(format, args...)) }
	if values := Values(s); len(values) > 0 {
		for i := range values {
			values[i] = "`" + values[i] + "`"
		}
		add("%s", strings.Join(values, ", "))
	}
	if s.Default != nil && string(s.Default.Raw) != `""` {
		add("default `%s`", strings.Trim(string(s.Default.Raw), `"`))
	}
	if s.Minimum != nil {
		add("at least %v", *s.Minimum)
	}
	if s.Maximum != nil {
		add("at most %v", *s.Maximum)
	}
	lengths := s
	if s.Items != nil && s.Items.Schema != nil {
		lengths = s.Items.Schema
	}
	if n := lengths.MaxLength; n != nil {
		add("at most %d characters", *n)
	}
	if n := s.MaxItems; n != nil {
		add("at most %d items", *n)
	}
	if n := s.MaxProperties; n != nil {
		add("at most %d items", *n)
	}
	if strings.Contains(s.Description, "Immutable.") {
		add("immutable")
	}
	return strings.Join(limits, "; ")
}
