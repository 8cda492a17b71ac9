package convert

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	fieldpath "k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/conversion"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
)

// prepared is a graph without what says nothing, and with types of its services that v1beta1 accepts, as far as they are known. It has a warning for
// each other change. The graph is not changed.
func prepared(graph map[string]any, to string) (map[string]any, []conversion.Warning) {
	spec, ok := graph["spec"].(map[string]any)
	if !ok {
		return graph, nil
	}
	out := maps.Clone(graph)
	spec, _ = withoutNulls(spec, 0).(map[string]any)
	out["spec"] = spec
	services, ok := spec["services"].(map[string]any)
	if !ok || to != conversion.V1beta1 {
		return out, nil
	}
	var warnings []conversion.Warning
	for _, name := range slices.Sorted(maps.Keys(services)) {
		if service, isObject := services[name].(map[string]any); isObject {
			warnings = append(warnings, prepareService(fieldpath.NewPath("spec", "services").Key(name), service)...)
		}
	}
	return out, warnings
}

// levelOfServices is how deep services and components are below a spec. One that is null has a warning of its own.
const levelOfServices = 1

// withoutNulls is a copy of a value without fields that are null. They mean the same as no field, except that server-side apply refuses a list that
// is null. https://github.com/kubernetes-sigs/structured-merge-diff/issues/130
func withoutNulls(value any, level int) any {
	switch value := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(value))
		for key, nested := range value {
			if nested != nil || level == levelOfServices {
				out[key] = withoutNulls(nested, level+1)
			}
		}
		return out
	case []any:
		out := make([]any, 0, len(value))
		for _, nested := range value {
			out = append(out, withoutNulls(nested, level+1))
		}
		return out
	default:
		return value
	}
}

// replaced is what another type does to pods, which have their type in a label and in a variable. No type of v1beta1 has the pods of one that it does not
// accept.
const replaced = "If the graph is running, applying the result replaces the pods of this service. To keep them, leave the graph in v1alpha1."

// prepareService gives a service a type that v1beta1 accepts, and takes from it what has no effect.
func prepareService(path *fieldpath.Path, service map[string]any) []conversion.Warning {
	var warnings []conversion.Warning
	change := func(field, format string, args ...any) {
		warnings = append(warnings, conversion.Warning{Reason: conversion.ReasonKept, Field: path.Child(field), Detail: fmt.Sprintf(format, args...)})
	}
	if _, ok := service["dynamoNamespace"]; ok {
		delete(service, "dynamoNamespace")
		change("dynamoNamespace", "The field has no effect, and is left out.")
	}
	const field = "componentType"
	written, _ := service[field].(string)
	if written == "" || conversion.AcceptsType(written) {
		return warnings
	}
	inferred, program := typeByCommand(service)
	switch {
	case inferred != "":
		service[field] = inferred
		change(field, "v1beta1 does not accept %s. The service runs %s, so its type is %s. "+replaced, strconv.Quote(written), program, inferred)
	case slices.Contains(conversion.FormerTypes(), written):
		delete(service, field)
		change(field, "v1beta1 does not accept %s. A component without a type has the same defaults, so the field is left out. Write worker if it runs an engine. "+replaced, strconv.Quote(written))
	}
	return warnings
}

// typeByCommand is the type of a service whose command says it, and the program that it runs.
func typeByCommand(service map[string]any) (componentType, program string) {
	pod, _ := service["extraPodSpec"].(map[string]any)
	main, _ := pod["mainContainer"].(map[string]any)
	return (&backend.Texts{}).ComponentType(slices.Concat(texts(main["command"]), texts(main["args"])))
}

func texts(value any) []string {
	list, _ := value.([]any)
	var all []string
	for _, item := range list {
		if text, ok := item.(string); ok {
			all = append(all, text)
		}
	}
	return all
}
