package main

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
)

// compositeSchema is the schema of both definitions, made from that of the CustomResourceDefinition.
//
// Crossplane writes everything but spec and status itself, and within status the conditions.
func compositeSchema(root *extv1.JSONSchemaProps) (*extv1.JSONSchemaProps, error) {
	describe(root, reflect.TypeFor[v1alpha1.DynamoGraphDeployment]())

	schema := &extv1.JSONSchemaProps{
		Type:        "object",
		Description: root.Description,
		Properties: map[string]extv1.JSONSchemaProps{
			"spec":   root.Properties["spec"],
			"status": root.Properties["status"],
		},
	}
	delete(schema.Properties["status"].Properties, "conditions")

	for _, optional := range optionalFields() {
		if err := edit(schema, optional.path, optional.drop); err != nil {
			return nil, err
		}
	}
	// Far more than a pod has; the API server must know a bound to estimate the cost of a rule over the list.
	if err := edit(schema, "spec.services.*.extraPodSpec.containers", maxItems(100)); err != nil {
		return nil, err
	}
	for _, rule := range slices.Concat(specRules(), serviceRules(), serviceFieldRules()) {
		if err := edit(schema, rule.path, rule.add); err != nil {
			return nil, err
		}
	}
	return schema, nil
}

// optionalField is a field that Kubernetes requires where it stands alone, and that this API fills in.
type optionalField struct {
	path  string
	field string
}

// optionalFields are those of the pod and of its main container: both are merged over generated ones.
func optionalFields() []optionalField {
	return []optionalField{
		{path: "spec.services.*.extraPodSpec", field: "containers"},
		{path: "spec.services.*.extraPodSpec.mainContainer", field: "name"},
	}
}

func (o optionalField) drop(schema *extv1.JSONSchemaProps) error {
	i := slices.Index(schema.Required, o.field)
	if i < 0 {
		return fmt.Errorf("%s does not require %s", o.path, o.field)
	}
	schema.Required = slices.Delete(schema.Required, i, i+1)
	return nil
}

func maxItems(n int64) func(*extv1.JSONSchemaProps) error {
	return func(schema *extv1.JSONSchemaProps) error {
		schema.MaxItems = &n
		return nil
	}
}

// edit applies change to the schema at a path of property names joined by dots, where * is the value of a map and []
// an item of a list.
func edit(schema *extv1.JSONSchemaProps, path string, change func(*extv1.JSONSchemaProps) error) error {
	if path == "" {
		return change(schema)
	}
	name, rest, _ := strings.Cut(path, ".")
	switch name {
	case "*":
		if schema.AdditionalProperties == nil || schema.AdditionalProperties.Schema == nil {
			return fmt.Errorf("no map at %s", path)
		}
		return edit(schema.AdditionalProperties.Schema, rest, change)
	case "[]":
		if schema.Items == nil || schema.Items.Schema == nil {
			return fmt.Errorf("no list at %s", path)
		}
		return edit(schema.Items.Schema, rest, change)
	default:
		property, ok := schema.Properties[name]
		if !ok {
			return fmt.Errorf("no field at %s", path)
		}
		if err := edit(&property, rest, change); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		schema.Properties[name] = property
		return nil
	}
}
