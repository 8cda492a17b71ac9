// Package api shows that users are told what becomes of all that they write: every field of the published API takes effect, or a graph with the
// field is warned or refused; several mistakes are reported at once; and a graph that runs while an edit of it is refused stays as it is. It
// also writes the page about the fields.
package api

import (
	"fmt"
	"maps"
	"slices"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/schema"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/fields"
)

// Prefixes of the fields of a component and of a service.
const (
	components = "spec.components[]."
	services   = "spec.services.*."
)

// Definition of the namespaced flavour, from the root of the repository.
const Definition = "apis/dynamographdeployment/definition.yaml"

// Fields of the spec in the definition of a file, including objects and lists.
func Fields(path string) ([]Field, error) {
	crds, err := schema.Load(path)
	if err != nil {
		return nil, err
	}
	if len(crds) == 0 {
		return nil, fmt.Errorf("%s holds no definition", path)
	}
	return fieldsOf(crds[0])
}

// A Field of the API. In its path, * stands for a key of a map, and [] for an item of a list.
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

// fieldsOf the spec in a definition, including objects and lists.
func fieldsOf(crd *extv1.CustomResourceDefinition) ([]Field, error) {
	if len(crd.Spec.Versions) == 0 || crd.Spec.Versions[0].Schema == nil {
		return nil, fmt.Errorf("definition %s has no schema", crd.Name)
	}
	spec, ok := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	if !ok {
		return nil, fmt.Errorf("the schema of definition %s has no spec", crd.Name)
	}
	// Crossplane adds these fields to the spec.
	delete(spec.Properties, "crossplane")
	w := &walker{}
	w.walk("spec", &spec)
	return w.fields[1:], nil
}

type walker struct{ fields []Field }

func (w *walker) walk(path string, s *extv1.JSONSchemaProps) {
	element, suffix := fields.ElementOf(s)
	own := describes(element) || isOpened(path)
	w.fields = append(w.fields, Field{
		Path: path, Type: fields.TypeOf(s), Description: fields.Summary(s.Description), Leaf: !own, Values: fields.Values(s), Limits: fields.Limits(s),
	})
	if !own {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(element.Properties)) {
		property := element.Properties[name]
		w.walk(path+suffix+"."+name, &property)
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
