package adoption

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// TestReplicas scales a component whose replicas run in one LeaderWorkerSet, as the operator made it.
func TestReplicas(t *testing.T) {
	const name, key = "llama-worker-" + workerHash + "-0", "leaderworkerset-worker-0"
	s := subjectOf(t, "replicas", harness.LWSVolcano, harness.Composition)
	g, err := s.adopt(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	before := podsOf(g)
	for _, replicas := range []int64{3, 5, 1, 2} {
		g.Edit(func(xr *unstructured.Unstructured) {
			// The manifest only consists of maps, slices and strings.
			_ = unstructured.SetNestedField(xr.Object, replicas, "spec", "services", "Worker", "replicas")
		})
		if _, err := s.pipeline.Settle(t.Context(), g, functions()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, podsOf(g), cmp.AllowUnexported(pods{})); diff != "" {
			t.Errorf("%d replicas: the same pods run in the same objects: -before, +after:\n%s", replicas, diff)
		}
		got, _, _ := unstructured.NestedFieldNoCopy(g.Object(key).Object, "spec", "replicas")
		if number, _ := got.(float64); number != float64(replicas) {
			t.Errorf("%s: want %d replicas, got %v", name, replicas, got)
		}
		status, _, _ := unstructured.NestedMap(g.Composite().Object, "status", "services", "Worker")
		delete(status, "revision")
		want := map[string]any{
			// Workers of the operator keep the suffix of their generation.
			"runtimeVersion": "1.0.0", "runtimeNamespace": "inference-llama-1f2e3d4c",
			"componentKind": "LeaderWorkerSet", "componentName": name, "componentNames": []any{name},
			"executor": map[string]any{"name": "ray", "reason": "the pods that run"},
			// Its manifest requests no GPUs.
			"gpusPerEngine": float64(0), "gpusPerReplica": float64(0),
			"replicas": float64(replicas), "updatedReplicas": float64(replicas), "readyReplicas": float64(replicas),
		}
		if diff := cmp.Diff(want, status); diff != "" {
			t.Errorf("%d replicas: status of the service: -want, +got:\n%s", replicas, diff)
		}
	}
}
