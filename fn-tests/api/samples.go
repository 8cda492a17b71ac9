package api

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

// Samples are values with which fields are tested.
type Samples struct {
	// Graph that every sample changes. Its components are a map by name.
	Graph map[string]any `json:"graph"`
	// Nodes is the multinode service of the graph. It is removed if no orchestrator can run it.
	Nodes string `json:"nodes"`
	// Services whose fields are tested, on all orchestrators.
	Services []string `json:"services"`
	Fields   []Sample `json:"fields"`
	// Annotations of the graph's metadata.
	Annotations []Annotation `json:"annotations"`
}

// Annotation of the graph's metadata, with a value that has an effect.
type Annotation struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	// With is merged over the first graph, so that the annotation can have an effect.
	With map[string]any `json:"with,omitempty"`
	// Reaches is true if it changes the pods of a service on Grove.
	Reaches bool `json:"reaches,omitempty"`
}

// Sample is a field with a value that has an effect.
type Sample struct {
	Path string `json:"path"`
	// With is merged over the first graph, so that the field can have an effect. Key * of services or components is the tested one.
	With map[string]any `json:"with,omitempty"`
	// Service whose field is tested, if only one can have it.
	Service string `json:"service,omitempty"`
	// Before is the value of the field in the first graph. nil if the field is absent.
	Before any `json:"before,omitempty"`
	Value  any `json:"value"`
	// Along is merged over the second graph, where the field cannot change alone.
	Along map[string]any `json:"along,omitempty"`
	// NamedBy is another field. A message about it is also about this field.
	NamedBy string `json:"namedBy,omitempty"`
	// Everywhere is true if all services must have the same value.
	Everywhere bool `json:"everywhere,omitempty"`
	// Later is true if the field is set on a running graph.
	Later bool `json:"later,omitempty"`
	// HashAlone is the reason why the hash of what the user has written for the pods changes with the field although the pods do not.
	HashAlone string `json:"hashAlone,omitempty"`
	// Created is merged over the first graph, for the graph at its creation. Only with Later.
	Created map[string]any `json:"created,omitempty"`
}

// ReadSamples from a file.
func ReadSamples(path string) (*Samples, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the samples: %w", err)
	}
	s := &Samples{}
	if err := yaml.UnmarshalStrict(data, s); err != nil {
		return nil, fmt.Errorf("cannot parse the samples: %w", err)
	}
	return s, nil
}

// Graphs without and with the field of a sample. A field of services is set on one service.
func (s *Samples) Graphs(sample Sample, service string, nodes bool) (before, after map[string]any, err error) {
	before, value := clone(s.Graph), sample.Value
	Merge(before, replaceKey(clone(sample.With), service))
	if !nodes {
		delete(objectAt(before, "spec", formOf(before)), s.Nodes)
		value = without(value, s.Nodes)
	}
	if sample.Before != nil {
		if err := set(before, sample.Path, service, sample.Before); err != nil {
			return nil, nil, err
		}
	}
	after = clone(before)
	Merge(after, replaceKey(clone(sample.Along), service))
	services := []string{service}
	if sample.Everywhere {
		services = slices.Collect(maps.Keys(objectAt(after, "spec", formOf(after))))
	}
	for _, name := range services {
		if err := set(after, sample.Path, name, value); err != nil {
			return nil, nil, err
		}
	}
	return before, after, nil
}

// set a field, and create the objects above it. In a list, the first item is set.
func set(tree map[string]any, path, service string, value any) error {
	segments := strings.Split(strings.Replace(path, components, "spec.components.*.", 1), ".")
	for i, segment := range segments {
		if segment == "*" {
			segment = service
		}
		name, list := strings.CutSuffix(segment, "[]")
		if i == len(segments)-1 {
			tree[name] = value
			return nil
		}
		switch child := tree[name].(type) {
		case map[string]any:
			tree = child
		case []any:
			item, ok := child[0].(map[string]any)
			if !ok {
				return fmt.Errorf("cannot set %s: the items of %s are no objects", path, name)
			}
			tree = item
		default:
			item := map[string]any{}
			if tree[name] = any(item); list {
				tree[name] = []any{item}
			}
			tree = item
		}
	}
	return nil
}

// without removes an item of a list. Other values do not change.
func without(value any, item string) any {
	list, ok := value.([]any)
	if !ok {
		return value
	}
	return slices.DeleteFunc(slices.Clone(list), func(v any) bool { return v == item })
}

func objectAt(tree map[string]any, path ...string) map[string]any {
	for _, name := range path {
		child, ok := tree[name].(map[string]any)
		if !ok {
			return map[string]any{}
		}
		tree = child
	}
	return tree
}

// replaceKey * of the services or components by the name of one.
func replaceKey(tree map[string]any, service string) map[string]any {
	services := objectAt(tree, "spec", formOf(tree))
	if value, ok := services["*"]; ok {
		delete(services, "*")
		services[service] = value
	}
	return tree
}

// formOf a graph is the field of its spec with its parts.
func formOf(graph map[string]any) string {
	if _, ok := objectAt(graph, "spec")["components"]; ok {
		return "components"
	}
	return "services"
}

// listed is a graph whose components are a list, as in the API. In samples they are a map, like services, so that a patch can refer to
// them.
func listed(graph map[string]any) map[string]any {
	byName, ok := objectAt(graph, "spec")["components"].(map[string]any)
	if !ok {
		return graph
	}
	graph = clone(graph)
	var list []any
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		component := map[string]any{"name": name}
		Merge(component, objectAt(graph, "spec", "components", name))
		list = append(list, component)
	}
	objectAt(graph, "spec")["components"] = list
	return graph
}

// Merge a patch into a tree. Objects are merged field by field, other values are replaced.
func Merge(into, patch map[string]any) {
	for name, value := range patch {
		child, isMap := value.(map[string]any)
		if existing, ok := into[name].(map[string]any); ok && isMap {
			Merge(existing, child)
			continue
		}
		into[name] = value
	}
}

func clone(tree map[string]any) map[string]any {
	if tree == nil {
		return map[string]any{}
	}
	return runtime.DeepCopyJSON(tree)
}
