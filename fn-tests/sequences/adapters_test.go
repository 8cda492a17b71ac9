package sequences

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// adapted turns on the scaling adapter of a service.
func adapted(service string) func(*testing.T, *harness.Chain) {
	return set(true, "spec", "services", service, "scalingAdapter", "enabled")
}

// scaleAdapter of a service, in lower case, as an autoscaler or the planner does.
func scaleAdapter(service string, replicas int64) func(*testing.T, *harness.Chain) {
	return write("scalingadapter-"+service, replicas, "spec", "replicas")
}

// TestScalingAdapters follows graphs that others scale through adapters. No pod template changes.
func TestScalingAdapters(t *testing.T) {
	t.Parallel()
	const adapters = "scalingAdapter: {mode: Enabled}"
	followAll(t, map[string]sequence{
		"adapter-on-grove": {
			reason: "The child gets the number of the adapter, as it would get that of the graph.",
			xr:     vllm, cluster: harness.GroveKAI, input: adapters,
			steps: []step{
				{name: "create"},
				{name: "turn on the adapter", change: all(child(2), adapted("Worker"))},
				{name: "scale the adapter from 2 to 4", change: scaleAdapter("worker", 4)},
				{name: "the child is scaled", change: scaleChild(4), gone: []string{"replicas-worker"}},
				{name: "edit the graph to 3", change: scale(3)},
				{name: "scale the adapter to zero", change: scaleAdapter("worker", 0)},
				{name: "the child has one replica", change: scaleChild(1), gone: []string{"replicas-worker"}},
				{name: "scale the adapter to 4", change: scaleAdapter("worker", 4)},
				{name: "turn off the adapter with its number in the graph", change: all(scale(4), unset("spec", "services", "Worker", "scalingAdapter")), gone: []string{"scalingadapter-worker"}},
			},
		},
		"adapter-on-lws": {
			reason: "LeaderWorkerSets come and go with the number of the adapter.",
			xr:     vllm, cluster: harness.LWSVolcano, input: adapters,
			steps: []step{
				{name: "create", change: adapted("Worker")},
				{name: "settled"},
				{name: "scale the adapter from 2 to 3", change: scaleAdapter("worker", 3)},
				{name: "edit the graph to 1", change: scale(1)},
				{name: "lose all references", change: lose()},
				{name: "scale the adapter to 2", change: scaleAdapter("worker", 2), gone: []string{"leaderworkerset-worker-2"}},
				{name: "settled again", change: gone("leaderworkerset-worker-2"), gone: []string{"podgroup-worker-2"}},
				{name: "scale the adapter to zero", change: scaleAdapter("worker", 0), gone: []string{"leaderworkerset-worker-0", "leaderworkerset-worker-1"}},
			},
		},
		"adapter-on-deployments": {
			reason: "A Deployment has the number of the adapter, also when the graph is edited or the platform turns adapters off.",
			xr:     vllm, cluster: harness.LWSVolcano, input: adapters,
			steps: []step{
				{name: "create", change: adapted("Frontend")},
				{name: "scale the adapter from 1 to 5", change: scaleAdapter("frontend", 5)},
				{name: "edit the graph to 3", change: set(int64(3), "spec", "services", "Frontend", "replicas")},
				{name: "turn off new adapters", change: input("scalingAdapter: {mode: Disabled}")},
				{name: "scale the adapter to zero", change: scaleAdapter("frontend", 0)},
				{name: "a number that is too large", change: scaleAdapter("frontend", 1_000_000), refused: "scaling adapter chat-frontend asks for this number: scale the adapter"},
				{name: "scale the adapter to 2", change: scaleAdapter("frontend", 2)},
			},
		},
	})
}

// scaleChild of the PodCliqueSet that runs service Worker.
func scaleChild(replicas int64) func(*testing.T, *harness.Chain) {
	return func(t *testing.T, c *harness.Chain) {
		t.Helper()
		for _, object := range c.Cluster {
			if object.GetKind() == "PodCliqueScalingGroup" {
				object.Object["spec"] = map[string]any{"replicas": replicas}
			}
		}
	}
}
