package main

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
)

// compositeSchema is the schema of both versions in both definitions. It is derived from those of the CustomResourceDefinition.
//
// Crossplane adds everything except spec and status, and the conditions within status.
func compositeSchema(older, newer *extv1.JSONSchemaProps) (*extv1.JSONSchemaProps, error) {
	describe(older, reflect.TypeFor[v1alpha1.DynamoGraphDeployment]())
	describe(newer, reflect.TypeFor[v1beta1.DynamoGraphDeployment]())
	for _, root := range []*extv1.JSONSchemaProps{older, newer} {
		maps.DeleteFunc(root.Properties, func(name string, _ extv1.JSONSchemaProps) bool { return name != "spec" && name != "status" })
		delete(root.Properties["status"].Properties, "conditions")
	}
	for _, change := range alphaChanges() {
		if err := edit(older, change.path, change.apply); err != nil {
			return nil, err
		}
	}
	for _, change := range betaChanges() {
		if err := edit(newer, change.path, change.apply); err != nil {
			return nil, err
		}
	}
	schema, err := union(older, newer)
	if err != nil {
		return nil, err
	}
	for _, rule := range rules() {
		if err := edit(schema, rule.path, rule.add); err != nil {
			return nil, err
		}
	}
	return schema, nil
}

// change is a change of the schema at a path (see edit) that the Go types cannot express.
type change struct {
	path  string
	apply func(*extv1.JSONSchemaProps) error
}

// alphaChanges are those of v1alpha1. The pod and its main container are merged over generated ones, so fields that Kubernetes requires
// are optional.
func alphaChanges() []change {
	const service = "spec.services.*."
	return []change{
		{service + "extraPodSpec", optional("containers")},
		{service + "extraPodSpec.mainContainer", optional("name")},
		{service + "extraPodSpec.containers", maxItems(maxContainers)},
	}
}

// betaChanges are those of v1beta1, in fields whose type is shared with v1alpha1.
func betaChanges() []change {
	const component = "spec.components.[]."
	return []change{
		{component + "multinode", optional("nodeCount")},
		{component + "modelRef.name", minLength(1)},
		{component + "experimental.checkpoint", require("enabled")},
		{component + "experimental.checkpoint.identity.model", minLength(1)},
		{component + "podTemplate.spec.containers", maxItems(maxContainers)},
		{component + "podTemplate.spec.initContainers", maxItems(maxContainers)},
		{component + "podTemplate.spec.containers.[].name", maxLength(maxContainerName)},
	}
}

// The API server needs limits to estimate the cost of a rule.
const (
	// maxContainers is much larger than the number of containers in real pods.
	maxContainers = 100
	// maxContainerName is the length of a DNS label, which names of containers must be.
	maxContainerName = 63
)

func optional(name string) func(*extv1.JSONSchemaProps) error {
	return func(schema *extv1.JSONSchemaProps) error {
		i := slices.Index(schema.Required, name)
		if i < 0 {
			return fmt.Errorf("%s is not required", name)
		}
		schema.Required = slices.Delete(schema.Required, i, i+1)
		return nil
	}
}

// require makes a field required and removes its default.
func require(name string) func(*extv1.JSONSchemaProps) error {
	return func(schema *extv1.JSONSchemaProps) error {
		property, ok := schema.Properties[name]
		if !ok || property.Default == nil {
			return fmt.Errorf("%s has no default", name)
		}
		property.Default = nil
		schema.Properties[name] = property
		schema.Required = append(schema.Required, name)
		return nil
	}
}

func minLength(n int64) func(*extv1.JSONSchemaProps) error {
	return func(schema *extv1.JSONSchemaProps) error {
		schema.MinLength = &n
		return nil
	}
}

func maxLength(n int64) func(*extv1.JSONSchemaProps) error {
	return func(schema *extv1.JSONSchemaProps) error {
		schema.MaxLength = &n
		return nil
	}
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
