package harness

import (
	"errors"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// CompositionWithInput returns the path of a copy of the namespaced Composition with these fields, YAML, in the input of step plan.
func CompositionWithInput(t testing.TB, input string) string {
	t.Helper()
	fields := map[string]any{}
	if err := yaml.Unmarshal([]byte(input), &fields); err != nil {
		t.Fatalf("cannot parse the input: %v", err)
	}
	return WithInput(t, Composition, fields)
}

// WithInput writes a copy of a Composition with these additional fields in the input of step plan, and returns its path.
func WithInput(t testing.TB, composition string, fields map[string]any) string {
	t.Helper()
	object := Read(t, composition)[0]
	steps, _, err := unstructured.NestedSlice(object.Object, "spec", "pipeline")
	if err != nil || len(steps) == 0 {
		t.Fatalf("cannot find the steps of Composition %s: %v", composition, err)
	}
	plan, ok := steps[0].(map[string]any)
	if !ok {
		t.Fatalf("the first step of Composition %s is no object", composition)
	}
	for key, value := range fields {
		err = errors.Join(err, unstructured.SetNestedField(plan, value, "input", key))
	}
	if err := errors.Join(err, unstructured.SetNestedSlice(object.Object, steps, "spec", "pipeline")); err != nil {
		t.Fatal(err)
	}
	return Write(t, object)
}
