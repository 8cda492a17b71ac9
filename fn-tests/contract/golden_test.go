package contract

import (
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

func TestGolden(t *testing.T) {
	renders := map[string]harness.Render{
		// Its workers are restored, in a cluster that has the checkpoint.
		"checkpoint-restored": {
			XR:          "examples/checkpoint-vllm.yaml",
			Composition: harness.CompositionWithInput(t, "checkpoints: {mode: Enabled, storage: {claimName: snapshot-pvc, basePath: /checkpoints}}"),
			Cluster:     "examples/cluster/all.yaml",
		},
		// Each component has the pods of the release of Dynamo in its image.
		"releases": {XR: "fn-tests/support/corpus/manifests/everything/releases.yaml", Composition: harness.Composition, Cluster: "examples/cluster/all.yaml"},
	}
	for _, e := range harness.Examples(t) {
		renders[e.Name] = harness.Render{XR: e.XR, Composition: e.Composition, Cluster: harness.GroveKAI}
	}
	binary := harness.New(t)
	for name, render := range renders {
		t.Run(name, func(t *testing.T) {
			out := binary.RenderAccepted(t, render)
			pin(t, name, out)
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
