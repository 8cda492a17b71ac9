package harness

import (
	"errors"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// CompositionWithInput is the path of a copy of the namespaced Composition whose input of step plan has these fields, YAML.
func CompositionWithInput(t testing.TB, input string) string {
	t.Helper()
	fields := map[string]any{}
	if err := yaml.Unmarshal([]byte(input), &fields); err != nil {
		t.Fatalf("cannot parse the input: %v", err)
	}
	composition := Read(t, Composition)[0]
	steps, _, err := unstructured.NestedSlice(composition.Object, "spec", "pipeline")
	if err != nil || len(steps) == 0 {
		t.Fatalf("cannot find the steps of %s: %v", Composition, err)
	}
	plan, ok := steps[0].(map[string]any)
	if !ok {
		t.Fatalf("the first step of %s is no object", Composition)
	}
	for name, value := range fields {
		err = errors.Join(err, unstructured.SetNestedField(plan, value, "input", name))
	}
	if err := errors.Join(err, unstructured.SetNestedSlice(composition.Object, steps, "spec", "pipeline")); err != nil {
		t.Fatal(err)
	}
	return Write(t, composition)
}
