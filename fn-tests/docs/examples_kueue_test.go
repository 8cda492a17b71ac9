package docs

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
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
	out := binary.RenderAccepted(t, harness.Render{XR: "examples/" + name + ".yaml", Composition: policyOf(t, name), Cluster: "examples/cluster/kueue.yaml"})
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

// TestTeams checks that each team has a queue of the name in the policy in its own namespace, and that running pods stay when borrowed GPUs are
// wanted back.
func TestTeams(t *testing.T) {
	path := beside("kueue", "teams.yaml")
	clusters, locals := map[string]*clusterQueue{}, map[string]*localQueue{}
	for _, object := range harness.Read(t, path) {
		switch object.GetKind() {
		case "ClusterQueue":
			clusters[object.GetName()] = as(t, object, &clusterQueue{})
		case "LocalQueue":
			locals[object.GetNamespace()] = as(t, object, &localQueue{})
		}
	}
	policy := as(t, only(t, beside("kueue", "teams-input.yaml"), "Input"), &inputv1alpha1.Input{})
	if len(locals) < 2 || len(locals) != len(clusters) {
		t.Errorf("want a LocalQueue for each of several ClusterQueues, got %d and %d", len(locals), len(clusters))
	}
	for namespace, local := range locals {
		cluster := clusters[local.Spec.ClusterQueue]
		if cluster == nil || local.Name != policy.Kueue.Queue {
			t.Fatalf("want LocalQueue %s of a ClusterQueue in namespace %s, got %s of %s", policy.Kueue.Queue, namespace, local.Name, local.Spec.ClusterQueue)
		}
		if admitted := cluster.Spec.NamespaceSelector.MatchLabels["kubernetes.io/metadata.name"]; admitted != namespace {
			t.Errorf("want ClusterQueue %s to admit namespace %s, got %s", cluster.Name, namespace, admitted)
		}
		if diff := cmp.Diff([]string{"inference", "Never", "Never"}, []string{cluster.Spec.CohortName, cluster.Spec.Preemption.ReclaimWithinCohort, cluster.Spec.Preemption.WithinClusterQueue}); diff != "" {
			t.Errorf("ClusterQueue %s: -want, +got:\n%s", cluster.Name, diff)
		}
	}
}
