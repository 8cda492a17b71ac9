package sequences

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

const (
	components = "fn-tests/sequences/testdata/components.yaml"
	executor   = "fn-tests/sequences/testdata/executor.yaml"
	noOperator = "examples/cluster/none.yaml"

	annotationDiscovery = "nvidia.com/dynamo-discovery-backend"
	annotationExecutor  = "nvidia.com/vllm-distributed-executor-backend"
	annotationSSHSecret = "nvidia.com/mpi-ssh-secret"
)

// annotate the composite resource.
func annotate(key, value string) func(*testing.T, *harness.Chain) {
	return func(t *testing.T, c *harness.Chain) {
		t.Helper()
		annotations := c.XR.GetAnnotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[key] = value
		c.XR.SetAnnotations(annotations)
	}
}

// discoveryOf components is what lets their pods find each other through Kubernetes.
func discoveryOf(components ...string) []string {
	keys := []string{"discovery-role", "discovery-rolebinding", "discovery-serviceaccount"}
	for _, component := range components {
		keys = append(keys, "service-"+component)
	}
	return keys
}

// TestDiscovery changes how the pods of a graph find each other: until the last of them is replaced, those of before find each
// other as before.
func TestDiscovery(t *testing.T) {
	t.Parallel()
	all := []string{"frontend", "worker"}
	followAll(t, map[string]sequence{
		"discovery-on-deployments": {
			reason:  "Deployments are carried out one by one.",
			xr:      "examples/v1alpha1/agg-vllm.yaml",
			cluster: noOperator,
			steps: []step{
				{name: "create"},
				{name: "settled", change: settled()},
				{name: "to etcd", change: annotate(annotationDiscovery, "etcd"), touched: all},
				{name: "no pod is replaced yet"},
				{name: "the frontend is", change: settled("deployment-frontend")},
				{name: "all are", change: settled(), gone: discoveryOf("worker")},
				{name: "back to Kubernetes", change: annotate(annotationDiscovery, "kubernetes"), touched: all},
				{name: "settled again", change: settled()},
			},
		},
		"discovery-on-grove": {
			reason:  "A PodCliqueSet is carried out as a whole.",
			xr:      "examples/v1alpha1/agg-vllm.yaml",
			cluster: harness.GroveKAI,
			steps: []step{
				{name: "create"},
				{name: "settled", change: settled()},
				{name: "to etcd", change: annotate(annotationDiscovery, "etcd"), touched: all},
				{name: "no pod is replaced yet"},
				{name: "all are", change: settled(), gone: discoveryOf("worker")},
				{name: "back to Kubernetes before that is seen", change: annotate(annotationDiscovery, "kubernetes"), touched: all},
				{name: "settled again", change: settled()},
			},
		},
		"discovery-and-back": {
			reason:  "What is taken back half way takes nothing with it.",
			xr:      "examples/v1alpha1/agg-vllm.yaml",
			cluster: noOperator,
			steps: []step{
				{name: "create"},
				{name: "settled", change: settled()},
				{name: "to etcd", change: annotate(annotationDiscovery, "etcd"), touched: all},
				{name: "the frontend is replaced", change: settled("deployment-frontend")},
				{name: "back to Kubernetes", change: annotate(annotationDiscovery, "kubernetes"), touched: all},
				{name: "all are", change: settled()},
			},
		},
	})
}

// TestExecutor changes how a vLLM engine spans its nodes: the script that workers wait with is mounted by pods of before.
func TestExecutor(t *testing.T) {
	t.Parallel()
	// The annotation is on the pods of all components.
	all := []string{"frontend", "worker"}
	followAll(t, map[string]sequence{
		"executor-on-lws": {
			reason:  "Sets are carried out one by one.",
			xr:      executor,
			cluster: harness.LWSVolcano,
			steps: []step{
				{name: "create"},
				{name: "settled", change: settled()},
				{name: "mp to ray", change: annotate(annotationExecutor, "ray"), touched: all},
				{name: "one set is replaced", change: settled("leaderworkerset-worker-0"), touched: all},
				{name: "both are", change: settled(), gone: []string{"configmap-wait-for-leader"}},
				{name: "ray to mp", change: annotate(annotationExecutor, "mp"), touched: all},
				{name: "one set is replaced again", change: settled("leaderworkerset-worker-0"), touched: all},
				{name: "both are again", change: settled()},
			},
		},
		"executor-on-grove": {
			reason:  "On Grove the script goes once all pods of the PodCliqueSet are replaced.",
			xr:      executor,
			cluster: harness.GroveKAI,
			steps: []step{
				{name: "create"},
				{name: "settled", change: settled()},
				{name: "mp to ray", change: annotate(annotationExecutor, "ray"), touched: all},
				{name: "back to mp while pods are replaced", change: annotate(annotationExecutor, "mp"), touched: all},
				{name: "to ray again", change: annotate(annotationExecutor, "ray"), touched: all},
				{name: "all are replaced", change: settled(), gone: []string{"configmap-wait-for-leader"}},
			},
		},
	})
}

// TestSSHSecret names a Secret of the user's own: the nodes of an engine log in to each other with the key that they were
// started with.
func TestSSHSecret(t *testing.T) {
	t.Parallel()
	worker := []string{"worker"}
	steps := func() []step {
		return []step{
			{name: "create"},
			{name: "settled", change: settled()},
			{name: "name a Secret", change: annotate(annotationSSHSecret, "my-keys"), touched: worker},
			{name: "while pods are replaced"},
			{name: "all are", change: settled(), gone: []string{"ssh-secret"}},
			{name: "settled again"},
		}
	}
	const xr = "examples/v1alpha1/trtllm-multinode.yaml"
	followAll(t, map[string]sequence{
		"ssh-secret-on-lws":   {reason: "The key goes after the last pod that mounts it.", xr: xr, cluster: harness.LWSVolcano, steps: steps()},
		"ssh-secret-on-grove": {reason: "On Grove, too, the key goes after the last pod that mounts it.", xr: xr, cluster: harness.GroveKAI, steps: steps()},
	})
}

// TestComponents takes away what gives a component objects of its own: what pods of before need goes after the last of them.
func TestComponents(t *testing.T) {
	t.Parallel()
	served := func(t *testing.T, c *harness.Chain) {
		t.Helper()
		for _, object := range harness.Read(t, "examples/cluster/all.yaml") {
			if object.GetName() == "v1.inference.networking.k8s.io" {
				c.Cluster = append(c.Cluster, object)
			}
		}
	}
	component := func(value any, path ...string) func(*testing.T, *harness.Chain) {
		return set(value, append([]string{"spec", "services"}, path...)...)
	}
	steps := func(workloads ...string) []step {
		picker, embedder := []string{"picker"}, []string{"embedder"}
		return []step{
			{name: "create", change: served},
			{name: "settled", change: settled()},
			{name: "try to remove the planner", change: unset("spec", "services", "Planner"), refused: "services cannot be removed"},
			{name: "put it back", change: component(map[string]any{
				"componentType": "planner",
				"extraPodSpec": map[string]any{"mainContainer": map[string]any{
					"image": "nvcr.io/nvidia/ai-dynamo/dynamo-planner:1.3.0", "command": []any{"python3", "-m", "dynamo.planner"},
				}},
			}, "Planner")},
			{name: "a configuration of the user's own", change: component(map[string]any{"configMapRef": map[string]any{"name": "picker", "key": "config"}}, "Picker", "eppConfig"), touched: picker},
			{name: "the picker's pod is replaced", change: settled(workloads...), gone: []string{"epp-configmap"}},
			{
				name: "try to make another component of the picker", refused: "cannot be changed after creation; it was epp",
				change: unset("spec", "services", "Picker", "componentType"),
			},
			{name: "keep the picker", change: component("epp", "Picker", "componentType")},
			{name: "another model", change: component("Qwen/Qwen3-Embedding-0.6B", "Embedder", "modelRef", "name"), touched: embedder},
			{name: "its pods are replaced", change: settled(workloads...), gone: []string{"service-model-22597d9c"}},
			{name: "no shared GPUs", change: unset("spec", "services", "Embedder", "gpuMemoryService"), touched: embedder},
			{name: "while pods are replaced"},
			{name: "all are", change: settled(workloads...), gone: []string{"claimtemplate-embedder"}},
			{name: "settled again"},
		}
	}
	followAll(t, map[string]sequence{
		"components-on-deployments": {
			reason: "Each Deployment is carried out on its own.", xr: components, cluster: noOperator, steps: steps(),
		},
		"components-on-grove": {
			reason: "On Grove, too, what a component no longer needs goes once its pods are replaced.", xr: components, cluster: harness.GroveKAI, steps: steps(),
		},
	})
}
