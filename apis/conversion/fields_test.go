package conversion

import (
	"strings"
	"testing"
)

// TestRenamings converts a graph that sets the first field of each renaming, and finds it under the second one.
func TestRenamings(t *testing.T) {
	of := func(key string, value any) map[string]any { return map[string]any{key: value} }
	values := map[string]any{
		"componentType": "worker", "sharedMemory.size": "1Gi", "gpuMemoryService": of("enabled", true), "failover": of("enabled", true),
		"checkpoint": of("name", "warm"), "extraPodMetadata": of("labels", of("a", "b")), "extraPodSpec": of("nodeName", "n"),
		"extraPodSpec.mainContainer": of("image", "i"), "spec.services": map[string]any{}, "spec.envs": []any{of("name", "A")},
		"spec.topologyConstraint.topologyProfile": "p",
	}
	for _, list := range []struct {
		renamings          []Renaming
		service, component []string
	}{
		{Renamings(), nil, nil},
		{RenamingsInComponents(), []string{"spec", "services", "W"}, []string{"spec", "components", "@W"}},
	} {
		for _, r := range list.renamings {
			name := strings.Join(r.Alpha, ".")
			t.Run(name, func(t *testing.T) {
				value, ok := values[name]
				if !ok {
					t.Fatal("want a value for each field, so that its conversion is seen")
				}
				graph := of("spec", of("services", of("W", map[string]any{})))
				graph["apiVersion"] = V1alpha1
				setAt(graph, append(list.service, r.Alpha...), value)
				converted, _ := ToV1beta1(graph)
				if at := valueAt(converted, append(list.component, r.Beta...)); at == nil {
					t.Errorf("want a value at %s, got %v", strings.Join(r.Beta, "."), converted["spec"])
				}
			})
		}
	}
}

func setAt(object map[string]any, path []string, value any) {
	for _, step := range path[:len(path)-1] {
		if _, ok := object[step]; !ok {
			object[step] = map[string]any{}
		}
		object, _ = object[step].(map[string]any)
	}
	object[path[len(path)-1]] = value
}

func valueAt(object any, path []string) any {
	for _, step := range path {
		switch of := object.(type) {
		case map[string]any:
			object = of[step]
		case []any:
			object = nil
			for _, item := range of {
				if named, ok := item.(map[string]any); ok && named["name"] == strings.TrimPrefix(step, "@") {
					object = named
				}
			}
		default:
			return nil
		}
	}
	return object
}
