package sequences

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// lookUpCheckpoints is the input of a platform with the snapshot operator.
const lookUpCheckpoints = "checkpoints: {mode: Enabled}"

// TestCheckpoints follows graphs while the checkpoint to which a component refers becomes ready and is deleted.
func TestCheckpoints(t *testing.T) {
	t.Parallel()
	const xr, none = "examples/v1alpha1/checkpoint-vllm.yaml", "examples/cluster/none.yaml"
	policy := func(value string) func(*testing.T, *harness.Chain) {
		return set(value, "spec", "services", "Worker", "checkpoint", "startupPolicy")
	}
	waiting := "waiting for checkpoint qwen3-warm"
	both := func(changes ...func(*testing.T, *harness.Chain)) func(*testing.T, *harness.Chain) {
		return func(t *testing.T, c *harness.Chain) {
			t.Helper()
			for _, change := range changes {
				change(t, c)
			}
		}
	}
	waits := []step{
		{name: "create before the checkpoint", refused: waiting},
		{name: "the checkpoint is being stored", change: checkpoint("False"), refused: waiting},
		{name: "the checkpoint is ready", change: checkpoint("True")},
		{name: "settled", change: settled()},
		{name: "delete the checkpoint", change: checkpoint("")},
		{name: "remove the snapshot operator", change: input("checkpoints: {mode: Disabled}")},
		{name: "scale without it", change: scale(3)},
		{name: "install the snapshot operator again", change: input(lookUpCheckpoints)},
		{name: "restart without the checkpoint", change: restart("1"), touched: []string{"frontend", "worker"}},
		{name: "restore the checkpoint", change: checkpoint("True")},
	}
	cold := []step{
		{name: "create cold", change: both(policy("Immediate"), checkpoint("False"))},
		{name: "settled", change: settled()},
		{name: "the checkpoint is ready", change: checkpoint("True")},
		{name: "scale", change: scale(3)},
		{name: "the platform has another profile", change: input("checkpoints: {mode: Enabled, seccompProfile: profiles/other.json}")},
		{name: "delete the checkpoint", change: checkpoint("")},
		{name: "wait for it", change: policy("WaitForCheckpoint"), refused: waiting},
		{name: "restore the checkpoint", change: checkpoint("True"), touched: []string{"worker"}},
	}
	followAll(t, map[string]sequence{
		"checkpoint-created-on-deployments": {
			reason: "A graph has the state of its pods stored, and they are only restored from it when its user restarts them.",
			xr:     xr, cluster: none, input: lookUpCheckpoints, steps: createdCheckpoint(),
		},
		"checkpoint-created-on-grove": {
			reason: "A graph has the state of its pods stored, and they are only restored from it when its user restarts them.",
			xr:     xr, cluster: harness.GroveKAI, input: lookUpCheckpoints, steps: createdCheckpoint(),
		},
		"checkpoint-created-first-on-deployments": {
			reason: "Pods are not created before the state of one is stored, and stay as long as it is, and when it is not.",
			xr:     xr, cluster: none, input: lookUpCheckpoints, steps: firstCheckpoint(),
		},
		"checkpoint-created-first-on-grove": {
			reason: "Pods are not created before the state of one is stored, and stay as long as it is, and when it is not.",
			xr:     xr, cluster: harness.GroveKAI, input: lookUpCheckpoints, steps: firstCheckpoint(),
		},
		"checkpoint-lost-on-deployments": {
			reason: "What is stored is known when the graph has lost the references to its jobs, so that no pod changes.",
			xr:     xr, cluster: none, input: lookUpCheckpoints, steps: lostCheckpoint(),
		},
		"checkpoint-lost-on-grove": {
			reason: "What is stored is known when the graph has lost the references to its jobs, so that no pod changes.",
			xr:     xr, cluster: harness.GroveKAI, input: lookUpCheckpoints, steps: lostCheckpoint(),
		},
		"checkpoint-awaited-on-deployments": {
			reason: "Nothing is created before the checkpoint is ready, and nothing changes when it is gone.",
			xr:     xr, cluster: none, input: lookUpCheckpoints, steps: waits,
		},
		"checkpoint-awaited-on-grove": {
			reason: "Nothing is created before the checkpoint is ready, and nothing changes when it is gone.",
			xr:     xr, cluster: harness.GroveKAI, input: lookUpCheckpoints, steps: waits,
		},
		"checkpoint-immediate-on-deployments": {
			reason: "Pods that started cold stay as they are when the checkpoint becomes ready, until their user changes them.",
			xr:     xr, cluster: none, input: lookUpCheckpoints, steps: cold,
		},
		"checkpoint-immediate-on-grove": {
			reason: "Pods that started cold stay as they are when the checkpoint becomes ready, until their user changes them.",
			xr:     xr, cluster: harness.GroveKAI, input: lookUpCheckpoints, steps: cold,
		},
	})
}

// createdCheckpoint follows a graph that has the state of its pods stored.
func createdCheckpoint() []step {
	return []step{
		{name: "create", change: all(unset("spec", "services", "Worker", "checkpoint", "checkpointRef"), set("Immediate", "spec", "services", "Worker", "checkpoint", "startupPolicy"))},
		{name: "settled", change: settled()},
		{name: "the state is stored", change: stored()},
		{name: "scale", change: scale(3)},
		{name: "the platform has another profile", change: input("checkpoints: {mode: Enabled, seccompProfile: profiles/other.json}")},
		{name: "restart from what is stored", change: restart("1"), touched: []string{"frontend"}},
		{name: "the frontend is up again", change: settled(), touched: []string{"worker"}},
		{name: "pods of another template", change: set([]any{map[string]any{"name": "A", "value": "b"}}, "spec", "services", "Worker", "envs"), touched: []string{"worker"}},
		{name: "their state is stored, too", change: stored()},
		{name: "pods of the first template again", change: unset("spec", "services", "Worker", "envs"), touched: []string{"worker"}},
		{name: "delete what is stored", change: checkpoint("")},
		{name: "restart without it", change: restart("2"), touched: []string{"frontend"}},
	}
}

// firstCheckpoint follows a graph whose pods only start from what is stored of one.
func firstCheckpoint() []step {
	return []step{
		{name: "create", change: all(unset("spec", "services", "Worker", "checkpoint", "checkpointRef"), set("WaitForCheckpoint", "spec", "services", "Worker", "checkpoint", "startupPolicy"))},
		{name: "settled without workers", change: settled()},
		{name: "the state is stored", change: stored()},
		{name: "settled", change: settled()},
		{name: "scale", change: scale(3)},
		{name: "delete what is stored", change: checkpoint("")},
		{name: "lose all references", change: lose()},
		{name: "settled again", change: settled()},
	}
}

// lostCheckpoint follows a graph whose pods are restored from what it has stored itself, and that loses its references.
func lostCheckpoint() []step {
	steps := createdCheckpoint()[:8]
	return append(steps,
		step{name: "their state is stored, too", change: stored()},
		step{name: "settled", change: settled()},
		step{name: "lose all references", change: lose()},
		step{name: "settled again", change: settled()},
		step{name: "lose all references, and go back to the first template", change: all(lose(), unset("spec", "services", "Worker", "envs")), touched: []string{"worker"}},
	)
}

// stored has the SnapshotJob completed that is not yet, with a PodSnapshot of its name.
func stored() func(*testing.T, *harness.Chain) {
	return func(t *testing.T, c *harness.Chain) {
		t.Helper()
		condition := func(conditionType string) map[string]any {
			return map[string]any{"conditions": []any{map[string]any{
				"type": conditionType, "status": "True", "reason": "CaptureCompleted", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z",
			}}}
		}
		jobs := 0
		for _, job := range c.Objects {
			if _, done := job.Object["status"]; done || job.GetKind() != "SnapshotJob" {
				continue
			}
			jobs++
			status := condition("Completed")
			status["podSnapshotName"] = job.GetName()
			job.Object["status"] = status
			c.Cluster = append(c.Cluster, &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "nvidia.com/v1alpha1", "kind": "PodSnapshot", "metadata": map[string]any{"name": job.GetName(), "namespace": job.GetNamespace()},
				"spec":   map[string]any{"source": map[string]any{"podRef": map[string]any{"name": job.GetName(), "containers": []any{"main"}}}},
				"status": condition("Ready"),
			}})
		}
		if jobs != 1 {
			t.Fatalf("want one SnapshotJob that is not completed, got %d", jobs)
		}
	}
}

// checkpoint qwen3-warm exists with this status of condition Ready. Empty: it does not exist.
func checkpoint(ready string) func(*testing.T, *harness.Chain) {
	return func(_ *testing.T, c *harness.Chain) {
		isSnapshot := func(o *unstructured.Unstructured) bool { return o.GetKind() == "PodSnapshot" }
		c.Cluster = slices.DeleteFunc(c.Cluster, isSnapshot)
		if ready == "" {
			return
		}
		c.Cluster = append(c.Cluster, &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "nvidia.com/v1alpha1", "kind": "PodSnapshot",
			"metadata": map[string]any{
				"name": "qwen3-warm", "namespace": "inference",
			},
			"spec": map[string]any{"source": map[string]any{"podRef": map[string]any{"name": "qwen3-warm-0", "containers": []any{"main"}}}},
			"status": map[string]any{"conditions": []any{map[string]any{
				"type": "Ready", "status": ready, "reason": "Test", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z",
			}}},
		}})
	}
}
