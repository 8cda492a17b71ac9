package sequences

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// adapted turns on the scaling adapter of a component.
func adapted(component string) func(*testing.T, *harness.Chain) {
	return set(true, "spec", "services", component, "scalingAdapter", "enabled")
}

// scaleAdapter of a component, in lower case, as an autoscaler or the planner does.
func scaleAdapter(component string, replicas int64) func(*testing.T, *harness.Chain) {
	return write("scalingadapter-"+component, replicas, "spec", "replicas")
}

// together scales components of the graph together.
func together(unit string) func(*testing.T, *harness.Chain) {
	return set(unit, "metadata", "annotations", "dynamo.nvidia.com/scale-together")
}

// scaleUnits of the graph, as an autoscaler does.
func scaleUnits(units int64) func(*testing.T, *harness.Chain) {
	return write("scalingadapter", units, "spec", "replicas")
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
		"scaled-together-on-grove": {
			reason: "Components that are scaled together keep their ratio, however the graph is edited, and the children get their numbers.",
			xr:     vllm, cluster: harness.GroveKAI, input: adapters,
			steps: []step{
				{name: "create", change: together("Frontend=1,Worker=2")},
				{name: "settled", change: child(2)},
				{name: "scale from 1 unit to 2", change: scaleUnits(2)},
				{name: "the child is scaled", change: scaleChild(4), gone: []string{"replicas-worker"}},
				{name: "edit the graph to 3", change: scale(3)},
				{name: "lose all references", change: lose()},
				{name: "scale to no units", change: scaleUnits(0)},
				{name: "the child has one unit", change: scaleChild(2), gone: []string{"replicas-worker"}},
				{name: "another ratio", change: together("Frontend=1,Worker=3")},
				{name: "scale alone, with the number in the graph", change: all(scale(3), unset("metadata", "annotations", "dynamo.nvidia.com/scale-together")), gone: []string{"scalingadapter"}},
			},
		},
		"scaled-together-on-lws": {
			reason: "LeaderWorkerSets and Deployments come and go in units.",
			xr:     vllm, cluster: harness.LWSVolcano, input: adapters,
			steps: []step{
				{name: "create", change: together("Frontend=1,Worker=2")},
				{name: "scale from 1 unit to 2", change: scaleUnits(2)},
				{name: "edit the graph to 1", change: scale(1)},
				{name: "lose all references", change: lose()},
				{name: "turn off new adapters", change: input("scalingAdapter: {mode: Disabled}")},
				{name: "a number that is too large", change: scaleUnits(1_000_000), refused: "scaling adapter chat asks for this number: scale the adapter"},
				{name: "scale to 1 unit", change: scaleUnits(1), gone: []string{"leaderworkerset-worker-2", "leaderworkerset-worker-3"}},
				{name: "settled", change: gone("leaderworkerset-worker-2", "leaderworkerset-worker-3"), gone: []string{"podgroup-worker-2", "podgroup-worker-3"}},
				{name: "an adapter of its own beside it", change: adapted("Worker"), refused: "and cannot be scaled alone too"},
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

// scaleChild of the PodCliqueSet that runs component Worker.
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
