// Package api shows that every field of the published API takes effect, or that a graph with the field is warned or refused. It also writes
// the page about the fields.
package api

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/schema"
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

// Prefixes of the fields of a component and of a service.
const (
	components = "spec.components[]."
	services   = "spec.services.*."
)

// Definition of the namespaced flavour, from the root of the repository.
const Definition = "apis/dynamographdeployment/definition.yaml"

// isOpened reports whether the fields of an embedded type are listed, because each of them has its own effect.
func isOpened(path string) bool {
	return path == "spec.services.*.extraPodSpec" || path == "spec.services.*.extraPodSpec.mainContainer"
}

// Fields of the spec in the definition of a file, including objects and lists.
func Fields(path string) ([]Field, error) {
	crds, err := schema.Load(path)
	if err != nil {
		return nil, err
	}
	if len(crds) == 0 || len(crds[0].Spec.Versions) == 0 || crds[0].Spec.Versions[0].Schema == nil {
		return nil, fmt.Errorf("%s holds no definition with a schema", path)
	}
	spec, ok := crds[0].Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	if !ok {
		return nil, fmt.Errorf("%s: the schema has no spec", path)
	}
	// Crossplane adds these fields to the spec.
	delete(spec.Properties, "crossplane")
	w := &walker{}
	w.walk("spec", &spec)
	return w.fields[1:], nil
}

type walker struct{ fields []Field }

func (w *walker) walk(path string, s *extv1.JSONSchemaProps) {
	element, suffix := elementOf(s)
	own := describes(element) || isOpened(path)
	w.fields = append(w.fields, Field{Path: path, Type: typeOf(s), Description: summary(s.Description), Leaf: !own, Values: valuesOf(s), Limits: limitsOf(s)})
	if !own {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(element.Properties)) {
		property := element.Properties[name]
		w.walk(path+suffix+"."+name, &property)
	}
}

// elementOf a list or a map: its items or values.
func elementOf(s *extv1.JSONSchemaProps) (element *extv1.JSONSchemaProps, suffix string) {
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

func typeOf(s *extv1.JSONSchemaProps) string {
	element, suffix := elementOf(s)
	switch {
	case suffix == "[]":
		return "list of " + typeOf(element)
	case suffix == ".*":
		return "map of " + typeOf(element)
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

// summary is the first sentence of a description.
func summary(description string) string {
	line, _, _ := strings.Cut(description, "\n")
	for i := range len(line) - 1 {
		if line[i] == '.' && line[i+1] == ' ' && !strings.HasSuffix(line[:i], "e.g") {
			return line[:i+1]
		}
	}
	return line
}
