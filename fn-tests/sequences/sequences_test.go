package sequences

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// set a field of the composite resource.
func set(value any, path ...string) func(*testing.T, *harness.Chain) {
	return func(t *testing.T, c *harness.Chain) {
		t.Helper()
		if err := unstructured.SetNestedField(c.XR.Object, value, path...); err != nil {
			t.Fatal(err)
		}
	}
}

// unset a field of the composite resource.
func unset(path ...string) func(*testing.T, *harness.Chain) {
	return func(_ *testing.T, c *harness.Chain) { unstructured.RemoveNestedField(c.XR.Object, path...) }
}

// scale component Worker.
func scale(replicas int64) func(*testing.T, *harness.Chain) {
	return set(replicas, "spec", "services", "Worker", "replicas")
}

// gone are objects whose deletion has come to its end.
func gone(keys ...string) func(*testing.T, *harness.Chain) {
	return func(t *testing.T, c *harness.Chain) {
		t.Helper()
		c.Gone(t, keys...)
	}
}

// input replaces that of step plan.
func input(fields string) func(*testing.T, *harness.Chain) {
	return func(t *testing.T, c *harness.Chain) {
		t.Helper()
		c.Composition = harness.CompositionWithInput(t, fields)
	}
}

func followAll(t *testing.T, sequences map[string]sequence) {
	t.Helper()
	binary := harness.New(t)
	for name, s := range sequences {
		t.Run(name, func(t *testing.T) {
			t.Log(s.reason)
			follow(t, binary, name, s)
		})
	}
}
