package conversion_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	yaml "go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/conversion"
)

// A converter to one of the versions.
type converter = func(map[string]any) (map[string]any, []conversion.Warning)

func readManifest(t testing.TB, path string) map[string]any {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return parseManifest(t, data)
}

// parseManifest to the types that Kubernetes decodes JSON to.
func parseManifest(t testing.TB, data []byte) map[string]any {
	t.Helper()
	var tree any
	out := map[string]any{}
	err := yaml.Unmarshal(data, &tree)
	if err == nil {
		data, err = json.Marshal(tree)
	}
	if err == nil {
		err = utiljson.Unmarshal(data, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// away is the converter to the version that a graph is not in, and the one back.
func away(graph map[string]any) (there, back converter) {
	spec, _ := graph["spec"].(map[string]any)
	_, isBeta := spec["components"].([]any)
	_, isAlpha := spec["services"].(map[string]any)
	if isBeta && !isAlpha || graph["apiVersion"] == conversion.V1beta1 && isBeta == isAlpha {
		return conversion.ToV1alpha1, conversion.ToV1beta1
	}
	return conversion.ToV1beta1, conversion.ToV1alpha1
}

// comesBack checks that there and back is the identity, whatever the annotations say.
func comesBack(t testing.TB, graph map[string]any) {
	t.Helper()
	before := runtime.DeepCopyJSON(graph)
	there, back := away(graph)
	converted, _ := there(graph)
	if diff := cmp.Diff(before, graph); diff != "" {
		t.Fatalf("conversion changes its input, -want, +got:\n%s", diff)
	}
	again, warnings := back(throughJSON(t, converted))
	if diff := cmp.Diff(withoutNotes(before), withoutNotes(again)); diff != "" {
		t.Errorf("there and back, -want, +got:\n%s\nconverted: %s", diff, written(converted))
	}
	for _, warning := range warnings {
		if warning.Reason == conversion.ReasonIgnored {
			t.Errorf("there and back: %s", warning)
		}
	}
	// Once there, more conversions change nothing.
	third, _ := there(throughJSON(t, again))
	if diff := cmp.Diff(withoutNotes(converted), withoutNotes(third)); diff != "" {
		t.Errorf("a second time there, -want, +got:\n%s", diff)
	}
}

// editsComeBack checks that an edit of any field in the other version survives the way back and there again, whatever was kept before it.
func editsComeBack(t testing.TB, graph map[string]any) {
	t.Helper()
	there, _ := away(graph)
	converted, _ := there(graph)
	for edit, edited := range edits(throughJSON(t, converted)) {
		back, again := away(edited)
		original, _ := back(edited)
		got, _ := again(throughJSON(t, original))
		want, got := withoutNotes(edited), withoutNotes(got)
		if !reflect.DeepEqual(want, got) {
			t.Errorf("%s, -want, +got:\n%s", edit, cmp.Diff(want, got))
		}
	}
}

// edits of an object: each value of its spec and status removed, and each changed.
func edits(graph map[string]any) map[string]map[string]any {
	out := map[string]map[string]any{}
	for _, root := range []string{"spec", "status"} {
		walk(graph[root], []any{root}, func(path []any, value any) {
			removed := runtime.DeepCopyJSON(graph)
			edit(removed, path, nil, true)
			out[fmt.Sprintf("%v removed", path)] = removed
			for name, other := range others(value) {
				changed := runtime.DeepCopyJSON(graph)
				edit(changed, path, other, false)
				out[fmt.Sprintf("%v %s", path, name)] = changed
			}
		})
	}
	return out
}

func walk(value any, path []any, visit func(path []any, value any)) {
	if len(path) > 1 {
		visit(path, value)
	}
	switch value := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			walk(value[key], append(slices.Clip(path), key), visit)
		}
	case []any:
		for i := range value {
			walk(value[i], append(slices.Clip(path), i), visit)
		}
	}
}

// others are other values of the same type.
func others(value any) map[string]any {
	switch value := value.(type) {
	case map[string]any:
		more := runtime.DeepCopyJSON(value)
		more["added"] = "x"
		return map[string]any{"with one more field": more, "emptied": map[string]any{}}
	case []any:
		reversed := slices.Clone(value)
		slices.Reverse(reversed)
		return map[string]any{"reversed": reversed, "emptied": []any{}}
	case string:
		return map[string]any{"changed": value + "x", "emptied": ""}
	case bool:
		return map[string]any{"changed": !value}
	case int64:
		return map[string]any{"changed": value + 1}
	default:
		return map[string]any{"changed": "x"}
	}
}

func edit(root any, path []any, value any, remove bool) {
	for i, step := range path {
		last := i == len(path)-1
		switch holder := root.(type) {
		case map[string]any:
			key, _ := step.(string)
			switch {
			case last && remove:
				delete(holder, key)
			case last:
				holder[key] = value
			}
			root = holder[key]
		case []any:
			index, _ := step.(int)
			if last {
				// An item that is removed becomes null, which is no less bad.
				holder[index] = value
			}
			root = holder[index]
		}
	}
}

// withoutNotes is an object without the annotations of conversion.
func withoutNotes(graph map[string]any) map[string]any {
	out := runtime.DeepCopyJSON(graph)
	metadata, _ := out["metadata"].(map[string]any)
	annotations, ok := metadata["annotations"].(map[string]any)
	delete(annotations, conversion.AnnotationSpec)
	delete(annotations, conversion.AnnotationStatus)
	if ok && len(annotations) == 0 {
		delete(metadata, "annotations")
	}
	if len(metadata) == 0 {
		delete(out, "metadata")
	}
	return out
}

// throughJSON is an object as an API server would hand it back.
func throughJSON(t testing.TB, graph map[string]any) map[string]any {
	t.Helper()
	data, err := utiljson.Marshal(graph)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]any{}
	if err := utiljson.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func written(graph map[string]any) string {
	data, err := yaml.Marshal(graph)
	if err != nil {
		return err.Error()
	}
	return string(data)
}
