package sequences

import (
	"maps"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// all changes, one after the other.
func all(changes ...func(*testing.T, *harness.Chain)) func(*testing.T, *harness.Chain) {
	return func(t *testing.T, c *harness.Chain) {
		t.Helper()
		for _, change := range changes {
			change(t, c)
		}
	}
}

// lose the references to objects, as a replace of the graph does; without keys to all of them.
func lose(keys ...string) func(*testing.T, *harness.Chain) {
	return func(t *testing.T, c *harness.Chain) {
		t.Helper()
		c.Lose(t, keys...)
	}
}

// write a field of an object, as a controller does.
func write(key string, value any, path ...string) func(*testing.T, *harness.Chain) {
	return func(t *testing.T, c *harness.Chain) {
		t.Helper()
		if err := unstructured.SetNestedField(c.Objects[key].Object, value, path...); err != nil {
			t.Fatal(err)
		}
	}
}

// wipe removes all objects of the graph and the references to them.
func wipe(t *testing.T, c *harness.Chain) {
	t.Helper()
	c.Lose(t)
	clear(c.Unreferenced)
}

// child of the PodCliqueSet that runs component Worker, which spans nodes, with a number of replicas.
func child(replicas int64) func(*testing.T, *harness.Chain) {
	return func(_ *testing.T, c *harness.Chain) {
		c.Cluster = append(c.Cluster, &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "grove.io/v1alpha1", "kind": "PodCliqueScalingGroup",
			"metadata": map[string]any{
				"name": c.XR.GetName() + "-0-worker", "namespace": c.XR.GetNamespace(),
				"labels": map[string]any{"app.kubernetes.io/part-of": c.XR.GetName()},
			},
			"spec": map[string]any{"replicas": replicas},
		}})
	}
}

// installGrove in the cluster.
func installGrove(t *testing.T, c *harness.Chain) {
	t.Helper()
	c.Cluster = append(c.Cluster, harness.Read(t, harness.GroveKAI)...)
}

// restart asks for a restart.
func restart(id string) func(*testing.T, *harness.Chain) { return set(id, "spec", "restart", "id") }

// TestReferencesLost follows graphs that lose the references to their objects while the objects live on. Crossplane does not
// observe them then, and nothing may change but what the user changes.
func TestReferencesLost(t *testing.T) {
	t.Parallel()
	const autoscaling, worker = "examples/v1alpha1/autoscaling.yaml", "deployment-worker"
	none := "examples/cluster/none.yaml"
	available := map[string]any{
		"replicas": int64(1), "updatedReplicas": int64(1), "readyReplicas": int64(1),
		"conditions": []any{map[string]any{"type": "Available", "status": "True", "lastTransitionTime": "2026-08-01T00:00:00Z"}},
	}
	followAll(t, map[string]sequence{
		"lost-autoscaled-deployment": {
			reason: "A Deployment keeps the replicas that its autoscaler gave it.",
			xr:     autoscaling, cluster: none,
			steps: []step{
				{name: "create"},
				{name: "the autoscaler scales to 7", change: write(worker, int64(7), "spec", "replicas")},
				{name: "lose all references", change: lose()},
				{name: "settled"},
				{name: "lose that to the workload", change: lose(worker)},
				{name: "lose that to a workload and its autoscaler", change: lose(worker, "autoscaler-worker")},
			},
		},
		"lost-autoscaler": {
			reason: "An autoscaler that is turned off in the same replace is referred to once more, and goes as always.",
			xr:     autoscaling, cluster: none,
			steps: []step{
				{name: "create"},
				{name: "lose all references, and no longer autoscale", change: all(lose(), set(false, "spec", "services", "Worker", "autoscaling", "enabled"))},
				{name: "settled", gone: []string{"autoscaler-worker"}},
			},
		},
		"lost-service": {
			reason: "A service that is removed in the same replace is refused as always.",
			xr:     autoscaling, cluster: none,
			steps: []step{
				{name: "create"},
				{name: "lose all references, and the service", change: all(lose(), unset("spec", "services", "Frontend")), refused: "services cannot be removed"},
			},
		},
		"lost-restart-on-grove": {
			reason: "Pods keep the marks of the restart that they come from, which does not begin again.",
			xr:     nvlink, cluster: harness.GroveKAI,
			steps: []step{
				{name: "create"},
				{name: "restart", change: restart("first"), touched: []string{"encoder"}},
				{name: "lose all references", change: lose()},
				{name: "settled"},
			},
		},
		"lost-restart-on-lws": {
			reason: "A restart that has reached a part of the graph does not reach the rest at once.",
			xr:     nvlink, cluster: harness.LWSVolcano,
			steps: []step{
				{name: "create"},
				{name: "restart", change: restart("first"), touched: []string{"encoder"}},
				{name: "lose all references", change: lose()},
				{name: "lose those to the workloads that were not reached", change: lose("leaderworkerset-worker-0", "leaderworkerset-worker-1", "deployment-frontend")},
			},
		},
		"lost-gangs-of-kubernetes": {
			reason: "Pods stay members of the PodGroup that was made for them, whatever is lost.",
			xr:     vllm, cluster: harness.LWSKubernetes,
			steps: []step{
				{name: "create"},
				{name: "change the image of the workers", change: workerImage("1.3.1"), touched: []string{"worker"}},
				{name: "the pods before end"},
				{
					name: "they are gone, and the next replica is updated", change: write("leaderworkerset-worker-0", available, "status"),
					touched: []string{"worker"}, gone: []string{"schedulinggroup-worker-0"},
				},
				{name: "lose all references", change: lose()},
				{name: "settled again"},
				{name: "lose those to all but the workloads", change: lose("leaderworkerset-worker-0", "leaderworkerset-worker-1")},
				{name: "scale from 2 to 3", change: scale(3)},
				{name: "put the image back", change: workerImage("1.3.0"), touched: []string{"worker"}},
				{name: "lose all references while pods end", change: lose()},
			},
		},
		"lost-scaling-on-grove": {
			reason: "A scaling that comes with the replace is carried out: what runs is scaled, not only what is written down.",
			xr:     nvlink, cluster: harness.GroveKAI,
			steps: []step{
				{name: "create"},
				{name: "lose all references, and scale from 2 to 6", change: all(child(2), lose(), scale(6))},
				{name: "lose all references while the helper scales", change: lose()},
				{name: "lose all references, and scale back to 2", change: all(lose(), scale(2))},
				{name: "settled", gone: []string{"replicas-worker"}},
			},
		},
		"lost-replicas-on-lws": {
			reason: "Replicas beyond the number that comes with the replace go in order: pods, protection, domain.",
			xr:     nvlink, cluster: harness.LWSVolcano, input: "mnnvl: {mode: Auto, scope: Replica}",
			steps: []step{
				{name: "create"},
				{name: "lose all references, and scale to 1", change: all(lose(), scale(1))},
				{name: "the replica goes", gone: []string{"leaderworkerset-worker-1"}},
				{name: "lose all references while its pods end", change: lose()},
				{name: "its pods have ended", change: gone("leaderworkerset-worker-1"), gone: []string{"podgroup-worker-1", "usage-computedomain-worker-1"}},
				{name: "its protection has ended", change: gone("podgroup-worker-1", "usage-computedomain-worker-1"), gone: []string{"computedomain-worker-1"}},
			},
		},
		"lost-replica-of-older-manifest": {
			reason: "A manifest from before a replica was added refers to all but the objects of that replica.",
			xr:     nvlink, cluster: harness.LWSVolcano, input: scopeGraph,
			steps: []step{
				{name: "create"},
				{name: "scale from 2 to 3", change: scale(3)},
				{name: "put back the older manifest", change: all(
					lose("leaderworkerset-worker-2", "podgroup-worker-2", "usage-computedomain-0-worker-2"), scale(2),
				)},
				{name: "the replica goes", gone: []string{"leaderworkerset-worker-2"}},
			},
		},
		"lost-with-everything": {
			reason: "A graph of which nothing is left is created as new, on the orchestrator that it had.",
			xr:     nvlink, cluster: harness.LWSVolcano,
			steps: []step{
				{name: "create"},
				{name: "nothing is left, and Grove is installed", change: all(wipe, installGrove)},
				{name: "settled"},
			},
		},
		"lost-with-one-workload": {
			reason: "What is really gone is created again, beside what lives on.",
			xr:     nvlink, cluster: harness.LWSVolcano,
			steps: []step{
				{name: "create"},
				{name: "lose all references, and one workload", change: all(lose(), func(_ *testing.T, c *harness.Chain) {
					maps.DeleteFunc(c.Unreferenced, func(key string, _ *unstructured.Unstructured) bool { return key == "leaderworkerset-worker-1" })
				})},
			},
		},
	})
}
