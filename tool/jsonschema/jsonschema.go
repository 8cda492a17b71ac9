// Package jsonschema converts the schema of graphs to JSON Schema, with which editors complete and check manifests.
package jsonschema

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/definitions"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
)

// Of graphs of a version, in JSON.
func Of(version string) (string, error) {
	crd, err := definitions.CRD(definitions.Graph)
	if err != nil {
		return "", err
	}
	for _, v := range crd.Spec.Versions {
		if v.Name != version {
			continue
		}
		root, err := tree(v.Schema.OpenAPIV3Schema)
		if err != nil {
			return "", err
		}
		closeObjects(root)
		return output.JSON(graph(root, version), " ")
	}
	return "", errors.Errorf("there is no version %s of graphs", version)
}

func tree(props any) (map[string]any, error) {
	data, err := json.Marshal(props)
	if err != nil {
		return nil, errors.Errorf("cannot encode the schema: %w", err)
	}
	root := map[string]any{}
	if err := json.Unmarshal(data, &root); err != nil {
		return nil, errors.Errorf("cannot decode the schema: %w", err)
	}
	return root, nil
}

// graph is the schema of a whole manifest.
func graph(root map[string]any, version string) map[string]any {
	properties, _ := root["properties"].(map[string]any)
	properties["spec"] = object(properties["spec"])
	properties["apiVersion"] = map[string]any{"const": v1alpha1.Group + "/" + version}
	properties["kind"] = map[string]any{"const": v1alpha1.Kind}
	properties["metadata"] = metadata()
	properties["status"] = map[string]any{"type": "object", "description": "What Crossplane reports. It is not part of a manifest."}
	if spec, ok := properties["spec"].(map[string]any); ok {
		// A rule of the API says so, which JSON Schema has other words for.
		spec["oneOf"] = []any{map[string]any{"required": []any{"components"}}, map[string]any{"required": []any{"services"}}}
	}
	root["required"] = []any{"apiVersion", "kind", "metadata", "spec"}
	r := &repeated{count: map[string]int{}, names: map[string]string{}, definitions: map[string]any{}}
	r.tally(root)
	schema := r.replaced(root, true)
	whole, _ := schema.(map[string]any)
	whole["$schema"] = "http://json-schema.org/draft-07/schema#"
	whole["title"] = v1alpha1.Kind + " " + version
	whole["definitions"] = r.definitions
	return whole
}

// object is a schema that does not allow null.
func object(schema any) any {
	if typed, ok := schema.(map[string]any); ok {
		typed["type"] = "object"
	}
	return schema
}

// metadata of a graph, of which a definition says nothing.
func metadata() map[string]any {
	texts := func() map[string]any {
		return map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "string"}}
	}
	return map[string]any{
		"type":     "object",
		"required": []any{"name"},
		"properties": map[string]any{
			"name":        map[string]any{"type": "string", "minLength": 1},
			"namespace":   map[string]any{"type": "string"},
			"labels":      texts(),
			"annotations": texts(),
		},
	}
}

// closeObjects closes all objects of a schema whose fields are known, and drop what only Kubernetes understands.
func closeObjects(schema map[string]any) {
	open := schema["x-kubernetes-preserve-unknown-fields"] == true || schema["x-kubernetes-embedded-resource"] == true
	if _, known := schema["properties"]; known && !open && schema["additionalProperties"] == nil {
		schema["additionalProperties"] = false
	}
	if kind, isText := schema["type"].(string); isText && schema["nullable"] == true {
		schema["type"] = []any{kind, "null"}
	}
	allowNulls(schema)
	maps.DeleteFunc(schema, func(key string, _ any) bool { return strings.HasPrefix(key, "x-kubernetes-") || key == "nullable" })
	for _, child := range children(schema) {
		closeObjects(child)
	}
}

// allowNulls in fields that may be absent, which is what a null means to Kubernetes. A key without a value is a null.
func allowNulls(schema map[string]any) {
	properties, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	for name, child := range properties {
		property, ok := child.(map[string]any)
		kind, isText := property["type"].(string)
		if !ok || !isText || slices.Contains(required, any(name)) {
			continue
		}
		property["type"] = []any{kind, "null"}
		if values, ok := property["enum"].([]any); ok {
			property["enum"] = append(values, nil)
		}
	}
}

// children are the schemas directly below a schema.
func children(schema map[string]any) []map[string]any {
	var all []map[string]any
	for _, key := range []string{"items", "additionalProperties", "not"} {
		if child, ok := schema[key].(map[string]any); ok {
			all = append(all, child)
		}
	}
	if properties, ok := schema["properties"].(map[string]any); ok {
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			if child, ok := properties[name].(map[string]any); ok {
				all = append(all, child)
			}
		}
	}
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		list, _ := schema[key].([]any)
		for _, item := range list {
			if child, ok := item.(map[string]any); ok {
				all = append(all, child)
			}
		}
	}
	return all
}

// repeated schemas: those that occur several times, such as that of containers, are written once.
type repeated struct {
	count       map[string]int
	names       map[string]string
	definitions map[string]any
}

// minShared is the size in bytes from which a schema is worth a definition.
const minShared = 200

// identity of a schema.
func identity(schema map[string]any) string {
	data, err := json.Marshal(schema)
	if err != nil {
		return ""
	}
	return string(data)
}

func (s *repeated) tally(schema map[string]any) {
	id := identity(schema)
	s.count[id]++
	if s.count[id] > 1 {
		return
	}
	for _, child := range children(schema) {
		s.tally(child)
	}
}

// replaced is a tree in which shared schemas are references.
func (s *repeated) replaced(node any, root bool) any {
	switch typed := node.(type) {
	case map[string]any:
		id := identity(typed)
		if !root && len(id) >= minShared && s.count[id] > 1 {
			return map[string]any{"$ref": "#/definitions/" + s.define(id, typed)}
		}
		return s.withReferences(typed)
	case []any:
		list := make([]any, 0, len(typed))
		for _, item := range typed {
			list = append(list, s.replaced(item, false))
		}
		return list
	default:
		return node
	}
}

func (s *repeated) withReferences(schema map[string]any) map[string]any {
	out := make(map[string]any, len(schema))
	for _, key := range slices.Sorted(maps.Keys(schema)) {
		out[key] = s.replaced(schema[key], false)
	}
	return out
}

// define a schema, and return its name.
func (s *repeated) define(id string, schema map[string]any) string {
	if name, ok := s.names[id]; ok {
		return name
	}
	name := "schema" + strconv.Itoa(len(s.names)+1)
	s.names[id] = name
	s.definitions[name] = s.withReferences(schema)
	return name
}
