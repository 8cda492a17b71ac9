// Package fields describes the fields of the API: their types and limits, and what becomes of them on each orchestrator, as the test of all
// fields has found it.
package fields

import (
	"maps"
	"slices"
	"strings"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crossplane/function-sdk-go/errors"
)

// Field of the API. In its path, * stands for a key of a map, and [] for an item of a list.
type Field struct {
	Path string
	Type string
	// Description of the field. Fields of embedded types have none.
	Description string
	// Leaf is true if the fields below are not listed: those of an embedded type, or none.
	Leaf bool
	// Values that are allowed. Empty if others are allowed as well.
	Values []string
	// Limits are the default and the other rules of the definition for the value.
	Limits string
}

// isOpened reports whether the fields of an embedded type are listed, because each of them has its own effect.
func isOpened(path string) bool {
	return path == "spec.services.*.extraPodSpec" || path == "spec.services.*.extraPodSpec.mainContainer"
}

// Of the spec in a definition, including objects and lists.
func Of(crd *extv1.CustomResourceDefinition) ([]Field, error) {
	if len(crd.Spec.Versions) == 0 || crd.Spec.Versions[0].Schema == nil {
		return nil, errors.Errorf("definition %s has no schema", crd.Name)
	}
	spec, ok := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	if !ok {
		return nil, errors.Errorf("the schema of definition %s has no spec", crd.Name)
	}
	// Crossplane adds these fields to the spec.
	delete(spec.Properties, "crossplane")
	w := &walker{}
	w.walk("spec", &spec)
	return w.fields[1:], nil
}

type walker struct{ fields []Field }

func (w *walker) walk(path string, s *extv1.JSONSchemaProps) {
	element, suffix := ElementOf(s)
	own := describes(element) || isOpened(path)
	w.fields = append(w.fields, Field{Path: path, Type: TypeOf(s), Description: Summary(s.Description), Leaf: !own, Values: valuesOf(s), Limits: Limits(s)})
	if !own {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(element.Properties)) {
		property := element.Properties[name]
		w.walk(path+suffix+"."+name, &property)
	}
}

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

// describes reports whether the fields of a type have descriptions. Only those of our own types do.
func describes(s *extv1.JSONSchemaProps) bool {
	for _, property := range s.Properties {
		if property.Description != "" {
			return true
		}
	}
	return false
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

// valuesOf an enumeration.
func valuesOf(s *extv1.JSONSchemaProps) []string {
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
