package sequences

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// otherRules are an input with which the pods of a new graph differ from those without it.
const otherRules = "infrastructure: {natsAddress: \"nats://other:4222\", etcdAddress: \"http://other:2379\"}\nvllm: {distributedExecutor: ray}"

// workerImage changes the image of component Worker.
func workerImage(tag string) func(*testing.T, *harness.Chain) {
	return set("nvcr.io/nvidia/ai-dynamo/vllm-runtime:"+tag, "spec", "services", "Worker", "extraPodSpec", "mainContainer", "image")
}

// deleteRevisions by hand, with the references to them.
func deleteRevisions(t *testing.T, c *harness.Chain) {
	t.Helper()
	var keys []string
	for key := range c.Objects {
		if strings.HasPrefix(key, "revision-") {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		t.Fatal("there are no revisions to delete")
	}
	for _, key := range keys {
		delete(c.Objects, key)
	}
}

// withoutRevisions removes the step from the Composition, as a Composition of a platform's own may lack it.
func withoutRevisions(t *testing.T, c *harness.Chain) {
	t.Helper()
	composition := harness.Read(t, harness.Composition)[0]
	pipeline, _ := valueAt(t, composition.Object, "spec", "pipeline").([]any)
	var steps []any
	for _, step := range pipeline {
		if fields, _ := step.(map[string]any); fields["step"] != "revision" {
			steps = append(steps, step)
		}
	}
	if len(steps) != len(pipeline)-1 {
		t.Fatal("the Composition has no step revision")
	}
	if err := unstructured.SetNestedSlice(composition.Object, steps, "spec", "pipeline"); err != nil {
		t.Fatal(err)
	}
	c.Composition = harness.Write(t, composition)
}

// created is a sequence that begins with a new graph whose pods become ready.
func created(further ...step) []step {
	return append([]step{{name: "create"}, {name: "settled", change: settled()}}, further...)
}

// rolledBack is a sequence in which pods with a new image do not become ready, and the image is changed back. Meanwhile the rules of the
// platform change.
func rolledBack(notReady string, touched []string, further ...step) []step {
	return append(created(
		step{name: "change an image", change: workerImage("2.0.0"), touched: touched},
		step{name: notReady},
		step{name: "the rules change meanwhile", change: input(otherRules)},
		step{name: "change the image back", change: workerImage("1.3.0"), touched: touched, as: "create"},
		step{name: "settled on the old image", change: settled(), as: "create"},
	), further...)
}

// TestRollout follows changes of an image to their end, and changes that are reverted because the new pods do not become ready.
func TestRollout(t *testing.T) {
	t.Parallel()
	worker := []string{"worker"}
	first, second := []string{"worker leaderworkerset-worker-0"}, []string{"worker leaderworkerset-worker-1"}
	followAll(t, map[string]sequence{
		"rollout-on-lws": {
			reason: "Sets move to the new revision one after the other. Where the first does not come up, the others stay on the old one.",
			xr:     executor, cluster: harness.LWSVolcano,
			steps: rolledBack(
				"the set does not come up", first,
				step{name: "change an image again", change: workerImage("3.0.0"), touched: first},
				step{name: "the first set is up", change: settled("leaderworkerset-worker-0"), touched: second},
				step{name: "both are", change: settled()},
				step{name: "change the image back once more", change: workerImage("1.3.0"), touched: first},
				step{name: "the first set is back", change: settled("leaderworkerset-worker-0"), touched: second, as: "create"},
				step{name: "settled at last", change: settled(), as: "create"},
			),
		},
		"rollout-on-deployments": {
			reason: "A Deployment moves to the new revision by its own strategy. Those of other services stay.",
			xr:     "examples/v1alpha1/agg-vllm.yaml", cluster: noOperator,
			steps: rolledBack("the pods do not come up", worker),
		},
		"rollout-on-grove": {
			reason: "Grove moves its cliques to the new revision. Those of other services stay.",
			xr:     "examples/v1alpha1/agg-vllm.yaml", cluster: harness.GroveKAI,
			steps: rolledBack("the pods do not come up", worker),
		},
	})
}

// TestRevisionsLost follows graphs that lose their revisions while the rules of the platform change. No pod changes.
func TestRevisionsLost(t *testing.T) {
	t.Parallel()
	graphs := map[string]struct{ xr, cluster string }{
		"deployments": {"examples/v1alpha1/agg-vllm.yaml", noOperator},
		"grove":       {"examples/v1alpha1/agg-vllm.yaml", harness.GroveKAI},
		"lws":         {executor, harness.LWSVolcano},
	}
	sequences := map[string]sequence{}
	for name, graph := range graphs {
		sequences["revision-deleted-on-"+name] = sequence{
			reason: "A revision that was deleted by hand is recorded again from the live workloads.",
			xr:     graph.xr, cluster: graph.cluster,
			steps: created(
				step{name: "delete the revision, and change the rules", change: all(deleteRevisions, input(otherRules)), as: "create"},
				step{name: "settled again", as: "create"},
				step{name: "delete the revision once more", change: deleteRevisions, as: "create"},
			),
		}
		sequences["revision-unreferenced-on-"+name] = sequence{
			reason: "A graph that loses its references finds the revision of its workloads again.",
			xr:     graph.xr, cluster: graph.cluster,
			steps: created(
				step{name: "lose all references, and change the rules", change: all(lose(), input(otherRules)), as: "create"},
				step{name: "settled again", as: "create"},
			),
		}
		sequences["revision-missing-on-"+name] = sequence{
			reason: "A Composition without the step is refused, and the pods stay.",
			xr:     graph.xr, cluster: graph.cluster,
			steps: created(
				step{name: "a Composition without the step, and other rules", change: withoutRevisions, refused: "step revision"},
				step{name: "the step is back, with other rules", change: input(otherRules), as: "create"},
			),
		}
	}
	followAll(t, sequences)
}
