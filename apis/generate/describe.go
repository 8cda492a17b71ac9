package main

import (
	"reflect"
	"strings"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
)

// describe keeps the descriptions of the project's own fields, with one line for each paragraph, and removes those of embedded
// Kubernetes types: they would double the size of the definition, and they are in the Kubernetes API reference.
func describe(schema *extv1.JSONSchemaProps, t reflect.Type) {
	schema.Description = paragraphs(schema.Description)
	switch {
	case t.Kind() == reflect.Pointer:
		describe(schema, t.Elem())
	case t.Kind() == reflect.Slice && schema.Items != nil:
		describeElement(schema.Items.Schema, t.Elem())
	case t.Kind() == reflect.Map && schema.AdditionalProperties != nil:
		describeElement(schema.AdditionalProperties.Schema, t.Elem())
	case t.Kind() == reflect.Struct && own(t):
		for field := range t.Fields() {
			describeField(schema, field)
		}
	case t.Kind() == reflect.Struct:
		clearProperties(schema)
	}
}

// describeElement is describe for the items of a list or the values of a map, which only have the description of their type.
func describeElement(schema *extv1.JSONSchemaProps, t reflect.Type) {
	describe(schema, t)
	if !own(t) {
		schema.Description = ""
	}
}

func describeField(schema *extv1.JSONSchemaProps, field reflect.StructField) {
	name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
	if strings.Contains(options, "inline") {
		inline(schema, field.Type)
		return
	}
	property, ok := schema.Properties[name]
	if !ok {
		return
	}
	describe(&property, field.Type)
	schema.Properties[name] = property
}

// inline clears the descriptions of the fields that an embedded struct of another package adds to schema.
func inline(schema *extv1.JSONSchemaProps, t reflect.Type) {
	for field := range t.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if property, ok := schema.Properties[name]; ok {
			clearAll(&property)
			schema.Properties[name] = property
		}
	}
}

func clearAll(schema *extv1.JSONSchemaProps) {
	schema.Description = ""
	clearProperties(schema)
}

func clearProperties(schema *extv1.JSONSchemaProps) {
	for name, property := range schema.Properties {
		clearAll(&property)
		schema.Properties[name] = property
	}
	if schema.Items != nil && schema.Items.Schema != nil {
		clearAll(schema.Items.Schema)
	}
	if schema.AdditionalProperties != nil && schema.AdditionalProperties.Schema != nil {
		clearAll(schema.AdditionalProperties.Schema)
	}
}

func own(t reflect.Type) bool {
	return t.PkgPath() == reflect.TypeFor[v1alpha1.DynamoGraphDeployment]().PkgPath() ||
		t.PkgPath() == reflect.TypeFor[v1beta1.DynamoGraphDeployment]().PkgPath()
}

// paragraphs joins the lines of each paragraph of a doc comment, because kubectl explain wraps lines itself.
func paragraphs(description string) string {
	blocks := strings.Split(description, "\n\n")
	for i, block := range blocks {
		blocks[i] = strings.Join(strings.Fields(block), " ")
	}
	return strings.Join(blocks, "\n\n")
}
