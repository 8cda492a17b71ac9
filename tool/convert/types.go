package convert

import (
	"maps"
	"slices"

	fieldpath "k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/conversion"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

// replacing warns of the types of workers that the other version writes differently, in a graph with an Endpoint Picker. If its
// InferencePool selects by the type (components.PoolByClass says when), the labels of the pods are the types as they are written, because the
// selector has to match running pods as well. Services have two
// ways to write that a worker is only for prefill or decode, and components have one, which is read as componentType worker with a
// subComponentType: https://github.com/ai-dynamo/dynamo/blob/main/deploy/operator/api/CONVERSION.md
func replacing(graph, converted map[string]any) []conversion.Warning {
	before, after := typesOf(graph), typesOf(converted)
	if !slices.ContainsFunc(slices.Collect(maps.Values(before)), func(t componentType) bool { return t.read == v1alpha1.ComponentEPP }) {
		return nil
	}
	var warnings []conversion.Warning
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if other, ok := after[name]; ok && other.read != before[name].read {
			warnings = append(warnings, conversion.Warning{
				Reason: conversion.ReasonKept, Field: before[name].field,
				Detail: "The other version writes this type differently. If the graph is running, and its InferencePool selects by label " +
					metadata.LabelComponentType + ", applying the result replaces pods of its workers, whose label is the type as it is written.",
			})
		}
	}
	return warnings
}

// componentType of a component, as the labels of its pods have it, and the field that contains it.
type componentType struct {
	read  string
	field *fieldpath.Path
}

// typesOf the components of a graph in either form, by name.
func typesOf(graph map[string]any) map[string]componentType {
	types := map[string]componentType{}
	spec, _ := graph["spec"].(map[string]any)
	services, _ := spec["services"].(map[string]any)
	for name, value := range services {
		service, _ := value.(map[string]any)
		written, _ := service["componentType"].(string)
		types[name] = componentType{written, fieldpath.NewPath("spec", "services").Key(name).Child("componentType")}
	}
	components, _ := spec["components"].([]any)
	for _, value := range components {
		component, _ := value.(map[string]any)
		name, _ := component["name"].(string)
		written, _ := component["type"].(string)
		read, _ := conversion.TypesOf(written)
		types[name] = componentType{read, fieldpath.NewPath("spec", "components").Key(name).Child("type")}
	}
	return types
}
