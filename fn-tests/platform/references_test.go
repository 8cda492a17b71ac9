package platform

import (
	"bytes"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// TestForgedReferences shows that what a user writes into spec.crossplane.resourceRefs of a new graph decides nothing: with references of any kind, it is
// rendered as without them.
func TestForgedReferences(t *testing.T) {
	const input = `{grove: {mode: Disabled}, istio: {mode: Disabled}, scalingAdapter: {mode: Disabled}}`
	composition := harness.CompositionWithInput(t, input)
	graph := func(refs ...any) string {
		g := graphOf(t, "v1alpha1", parse(t, `{services: {
			Frontend: {componentType: frontend, scalingAdapter: {enabled: true}, extraPodSpec: {mainContainer: {image: example.org/a:1.4.0}}},
			Worker: {componentType: worker, multinode: {nodeCount: 2}, resources: {limits: {gpu: "1"}},
				extraPodSpec: {mainContainer: {image: example.org/a:1.4.0, command: [python3, -m, dynamo.vllm], args: [--model, x, --tensor-parallel-size, "2"]}}}}}`))
		if len(refs) > 0 {
			if err := unstructured.SetNestedSlice(g.Object, refs, "spec", "crossplane", "resourceRefs"); err != nil {
				t.Fatal(err)
			}
		}
		return harness.Write(t, g)
	}
	forged := map[string]any{}
	for apiVersion, names := range map[string]map[string]string{
		"grove.io/v1alpha1":                {"PodCliqueSet": "llama"},
		"leaderworkerset.x-k8s.io/v1":      {"LeaderWorkerSet": "llama-worker-0"},
		"scheduling.volcano.sh/v1beta1":    {"PodGroup": "llama-worker-0"},
		"apps/v1":                          {"Deployment": "llama-frontend"},
		"resource.nvidia.com/v1beta1":      {"ComputeDomain": "llama-0"},
		"networking.istio.io/v1":           {"VirtualService": "llama-frontend"},
		"nvidia.com/v1beta1":               {"DynamoGraphDeploymentScalingAdapter": "llama-frontend"},
		"gateway.networking.k8s.io/v1":     {"HTTPRoute": "llama-frontend"},
		"inference.networking.k8s.io/v1":   {"InferencePool": "llama-pool"},
		"protection.crossplane.io/v1beta1": {"Usage": "llama-0"},
	} {
		for kind, name := range names {
			forged[kind] = map[string]any{"apiVersion": apiVersion, "kind": kind, "name": name}
		}
	}
	binary := harness.New(t)
	render := func(xr string) harness.Output {
		return binary.Render(t, harness.Render{XR: xr, Composition: composition, Cluster: "examples/cluster/all.yaml", ChangesOnly: true, Everything: true})
	}
	honest := render(graph())
	if honest.Err != nil {
		t.Fatalf("want the graph rendered: %v: %s", honest.Err, honest.Stderr)
	}
	for kind, ref := range forged {
		if got := render(graph(ref)); !bytes.Equal(got.Stdout, honest.Stdout) {
			t.Errorf("a reference to a %s that the user has made up changes what is rendered: %v: %s\nwant:\n%s\ngot:\n%s", kind, got.Err, got.Stderr, honest.Stdout, got.Stdout)
		}
	}
}
