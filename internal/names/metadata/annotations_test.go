package metadata

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPropagatedAnnotations pins the annotations of a graph that reach its components: clusters full of manifests rely on
// exactly these.
func TestPropagatedAnnotations(t *testing.T) {
	want := []string{
		"nvidia.com/enable-metrics",
		"nvidia.com/dynamo-discovery-backend",
		"nvidia.com/dynamo-kube-discovery-mode",
		"nvidia.com/dynamo-operator-origin-version",
		"nvidia.com/vllm-distributed-executor-backend",
	}
	if diff := cmp.Diff(want, PropagatedAnnotations()); diff != "" {
		t.Errorf("PropagatedAnnotations(): -want, +got:\n%s", diff)
	}
}
