package contract

import (
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

func TestGolden(t *testing.T) {
	binary := harness.New(t)
	for _, e := range harness.Examples(t) {
		t.Run(e.Name, func(t *testing.T) {
			out := binary.Render(t, harness.Render{XR: e.XR, Composition: e.Composition, Cluster: harness.GroveKAI})
			if out.Err != nil {
				t.Fatalf("%v: %s", out.Err, out.Stderr)
			}
			pin(t, e.Name, out)
		})
	}
}

// pin compares the composite resource and the composed objects of a render with a golden file.
func pin(t *testing.T, name string, out harness.Output) {
	t.Helper()
	objects := append([]*unstructured.Unstructured{out.Composite}, out.Composed...)
	for _, object := range out.Composed {
		shorten(t, object)
	}
	harness.Golden(t, filepath.Join("testdata", "golden", name+".yaml"), harness.Format(t, objects...))
}

// shorten the data of a revision, whose pods are those of the workloads, which are in the same file.
func shorten(t *testing.T, object *unstructured.Unstructured) {
	t.Helper()
	components, found, err := unstructured.NestedMap(object.Object, "data", "components")
	if err != nil {
		t.Fatal(err)
	}
	if object.GetKind() != "ControllerRevision" || !found {
		return
	}
	for _, component := range components {
		if fields, ok := component.(map[string]any); ok {
			fields["pods"] = "those of the workload"
		}
	}
	if err := unstructured.SetNestedMap(object.Object, components, "data", "components"); err != nil {
		t.Fatal(err)
	}
}
