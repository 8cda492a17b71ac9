package platform

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/definitions"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
)

// TestQueue checks that KAI takes the file with the default queue, and that it has the queue which graphs get that do not name one.
func TestQueue(t *testing.T) {
	kai := definitions.Load(t, "kai-v0.13.0")
	parents := map[string]string{}
	for _, o := range harness.Read(t, "package/queue.yaml") {
		for _, err := range kai.Validate(o) {
			t.Errorf("Queue %s: %v", o.GetName(), err)
		}
		parent, _, err := unstructured.NestedString(o.Object, "spec", "parentQueue")
		if err != nil {
			t.Fatal(err)
		}
		parents[o.GetName()] = parent
	}
	if diff := cmp.Diff(map[string]string{"inference": "", new(v1alpha1.KAI).QueueOrDefault(): "inference"}, parents); diff != "" {
		t.Errorf("queues and their parents: -want, +got:\n%s", diff)
	}
}
