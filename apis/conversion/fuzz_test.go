package conversion_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/conversion"
)

// FuzzRoundTrip holds for objects of any shape that conversion never panics, that there and back is the identity, and that an edit in the other
// version survives. One value of each object is replaced by another, in both versions.
func FuzzRoundTrip(f *testing.F) {
	for i, c := range testCases(f) {
		// All seeds are tests. Where fuzzing begins with them, few are enough.
		if testing.Short() && i%8 != 0 {
			continue
		}
		data, err := json.Marshal(c.graph(f))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, uint16(i), uint8(i))
	}
	f.Add([]byte(`{"metadata":1,"spec":{"services":{"a":{"envs":[{"name":"A"},1,null],"volumeMounts":[1],"resources":{"limits":{"gpu":1}}}}}}`), uint16(3), uint8(3))
	f.Add([]byte(`{"spec":{"components":[{"name":"a"},{"name":"a"},null,1,{"podTemplate":{"spec":{"containers":[1,{"name":"main"},{"name":"main"}]}}}]}}`), uint16(0), uint8(0))

	f.Fuzz(func(t *testing.T, data []byte, place uint16, value uint8) {
		graph := map[string]any{}
		if utiljson.Unmarshal(data, &graph) != nil || graph == nil {
			return
		}
		comesBack(t, versioned(graph))
		comesBack(t, versioned(replaced(graph, place, value)))

		there, _ := away(graph)
		converted, _ := there(graph)
		edited := versioned(replaced(throughJSON(t, converted), place, value))
		comesBack(t, edited)
	})
}

// versioned is a graph in the version of its form.
func versioned(graph map[string]any) map[string]any {
	spec, _ := graph["spec"].(map[string]any)
	_, isBeta := spec["components"].([]any)
	_, isAlpha := spec["services"].(map[string]any)
	graph["apiVersion"] = conversion.V1alpha1
	if isBeta && !isAlpha {
		graph["apiVersion"] = conversion.V1beta1
	}
	return graph
}

// replaced is a copy of a graph with one value of its spec or status replaced by another one of it, or by one of a few.
func replaced(graph map[string]any, place uint16, value uint8) map[string]any {
	graph = runtime.DeepCopyJSON(graph)
	var paths [][]any
	values := []any{
		nil, "", "x", "1", "main", "sidecar-frontend", int64(0), int64(1), true, false,
		map[string]any{},
		[]any{},
		[]any{nil},
		[]any{"x"},
		[]any{map[string]any{"name": "main"}},
		[]any{map[string]any{"name": "sidecar-frontend", "image": "x"}},
		map[string]any{"name": "x"},
	}
	for _, root := range slices.Sorted(maps.Keys(graph)) {
		if root == "spec" || root == "status" {
			walk(graph[root], []any{root}, func(path []any, below any) {
				paths = append(paths, path)
				values = append(values, runtime.DeepCopyJSONValue(below))
			})
		}
	}
	if len(paths) > 0 {
		edit(graph, paths[int(place)%len(paths)], values[int(value)%len(values)], false)
	}
	return graph
}
