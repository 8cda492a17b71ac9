package main

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// union is the schema of all fields of either version. Graphs are not converted between versions: a graph that is written at one version
// is read unchanged at the other, and fields that are not in the schema of that version would be pruned. So both versions have the union.
//
// A field of both versions is the same field: the same type, limits and default. It is required where both require it, and has the
// description of newer.
func union(older, newer *extv1.JSONSchemaProps) (*extv1.JSONSchemaProps, error) {
	if !reflect.DeepEqual(leaf(older), leaf(newer)) {
		return nil, fmt.Errorf("the versions differ: %+v and %+v", leaf(older), leaf(newer))
	}
	all := leaf(newer)
	all.Description = newer.Description
	all.Required = slices.DeleteFunc(slices.Clone(newer.Required), func(name string) bool {
		return !slices.Contains(older.Required, name)
	})
	for _, name := range slices.Sorted(maps.Keys(older.Properties)) {
		property := older.Properties[name]
		if other, ok := newer.Properties[name]; ok {
			both, err := union(&property, &other)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			property = *both
		}
		setProperty(&all, name, property)
	}
	for name, property := range newer.Properties {
		if _, ok := older.Properties[name]; !ok {
			setProperty(&all, name, property)
		}
	}
	return &all, unionElements(&all, older, newer)
}

// unionElements adds the items of a list and the values of a map.
func unionElements(all, older, newer *extv1.JSONSchemaProps) error {
	if newer.Items != nil {
		items, err := union(older.Items.Schema, newer.Items.Schema)
		if err != nil {
			return fmt.Errorf("[]: %w", err)
		}
		all.Items = &extv1.JSONSchemaPropsOrArray{Schema: items}
	}
	if newer.AdditionalProperties != nil {
		values, err := union(older.AdditionalProperties.Schema, newer.AdditionalProperties.Schema)
		if err != nil {
			return fmt.Errorf("*: %w", err)
		}
		all.AdditionalProperties = &extv1.JSONSchemaPropsOrBool{Allows: true, Schema: values}
	}
	return nil
}

// leaf is a schema without the parts that union merges. Of lists and maps, only their presence remains.
func leaf(schema *extv1.JSONSchemaProps) extv1.JSONSchemaProps {
	schema = schema.DeepCopy()
	schema.Description, schema.Required, schema.Properties = "", nil, nil
	if schema.Items != nil {
		schema.Items = &extv1.JSONSchemaPropsOrArray{}
	}
	if schema.AdditionalProperties != nil {
		schema.AdditionalProperties = &extv1.JSONSchemaPropsOrBool{Allows: true}
	}
	return *schema
}

func setProperty(schema *extv1.JSONSchemaProps, name string, property extv1.JSONSchemaProps) {
	if schema.Properties == nil {
		schema.Properties = map[string]extv1.JSONSchemaProps{}
	}
	schema.Properties[name] = property
}
