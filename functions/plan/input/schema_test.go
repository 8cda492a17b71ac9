package input

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/schema"
)

// definition of the input, which make generate writes.
const definition = "package/plan/input/plan.dynamo.nvidia.com_inputs.yaml"

// TestValues checks that Read accepts the values that the schema lists for a field, and no others: the API server does not validate the input
// in a Composition.
func TestValues(t *testing.T) {
	crds, err := schema.Load(filepath.Join(harness.Root(), definition))
	if err != nil || len(crds) != 1 {
		t.Fatalf("cannot load %s: %v", definition, err)
	}
	listed := valuesOf(crds[0].Spec.Versions[0].Schema.OpenAPIV3Schema, nil)
	// Fewer would mean that the schema is no longer read.
	const least = 15
	if len(listed) < least {
		t.Errorf("%s has %d fields with a list of values, want at least %d", definition, len(listed), least)
	}
	for _, path := range slices.Sorted(maps.Keys(listed)) {
		t.Run(path, func(t *testing.T) {
			if diff := cmp.Diff(listed[path], supported(t, path)); diff != "" {
				t.Errorf("input.%s: -marker Enum in functions/plan/input/v1alpha1, +values that functions/plan/input accepts:\n%s", path, diff)
			}
		})
	}
}

// valuesOf the fields of an object that have a list of values, sorted, by the paths of the fields.
func valuesOf(object *extv1.JSONSchemaProps, path []string) map[string][]string {
	listed := map[string][]string{}
	for name, property := range object.Properties {
		at := append(slices.Clone(path), name)
		for _, value := range property.Enum {
			listed[strings.Join(at, ".")] = append(listed[strings.Join(at, ".")], strings.Trim(string(value.Raw), `"`))
		}
		slices.Sort(listed[strings.Join(at, ".")])
		maps.Copy(listed, valuesOf(&property, at))
	}
	maps.DeleteFunc(listed, func(_ string, values []string) bool { return len(values) == 0 })
	return listed
}

// supported are the values of a field in the error about another one, sorted.
func supported(t *testing.T, path string) []string {
	t.Helper()
	names := strings.Split(path, ".")
	var value any = "unsupported"
	for _, name := range slices.Backward(names) {
		value = map[string]any{name: value}
	}
	for _, message := range errorsIn(value) {
		if values, ok := strings.CutPrefix(message, "input."+path+`: Unsupported value: "unsupported": supported values: `); ok {
			return slices.Sorted(slices.Values(regexp.MustCompile(`[^", ]+`).FindAllString(values, -1)))
		}
	}
	return nil
}
