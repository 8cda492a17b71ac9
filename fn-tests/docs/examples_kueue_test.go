package docs

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// TestKueue checks that all workloads of the example are in the queue beside it, and that no gang of another scheduler is there.
func TestKueue(t *testing.T) {
	const name = "kueue"
	binary := harness.New(t)
	queue := only(t, beside(name, "queue.yaml"), "LocalQueue")
	cluster := as(t, only(t, beside(name, "queue.yaml"), "ClusterQueue"), &clusterQueue{})
	if local := as(t, queue, &localQueue{}); local.Spec.ClusterQueue != cluster.Name {
		t.Errorf("LocalQueue %s is of %s, want %s", local.Name, local.Spec.ClusterQueue, cluster.Name)
	}
	out := binary.Render(t, harness.Render{XR: "examples/" + name + ".yaml", Composition: policyOf(t, name), Cluster: "examples/cluster/kueue.yaml"})
	if out.Err != nil {
		t.Fatalf("%v: %s", out.Err, out.Stderr)
	}
	queues := map[string]string{}
	for key, object := range byKey(out) {
		switch object.GetKind() {
		case "Deployment", "LeaderWorkerSet":
			queues[key] = object.GetLabels()["kueue.x-k8s.io/queue-name"]
		case "PodGroup":
			t.Errorf("there is a PodGroup %s", object.GetName())
		}
	}
	want := map[string]string{"deployment-frontend": queue.GetName(), "leaderworkerset-worker-0": queue.GetName(), "leaderworkerset-worker-1": queue.GetName()}
	if diff := cmp.Diff(want, queues); diff != "" {
		t.Errorf("queues: -want, +got:\n%s", diff)
	}
}
