package sequences

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// TestPolicy installs, changes and removes the EnvironmentConfig of the platform under live graphs: nothing goes, and no pod template changes.
func TestPolicy(t *testing.T) {
	t.Parallel()
	const (
		other = "discovery: {backend: etcd}\nvllm: {distributedExecutor: mp}\ninfrastructure: {natsAddress: \"nats://other:4222\"}\n"
		rails = "guardRails: {maxGPUs: 0, maxReplicas: 0, imageRegistries: [registry.example.org], queues: [], allowHostPath: false}\n"
	)
	lives := func() []step {
		return []step{
			{name: "create"},
			{name: "settled", change: settled()},
			{name: "install the policy", change: environmentConfig(other)},
			{name: "tighten guard rails", change: environmentConfig(other + rails)},
			{name: "scale out", change: scale(3), refused: "cannot become larger"},
			{name: "scale back", change: scale(2)},
			{name: "scale in", change: scale(1), gone: nil},
			{name: "change an image to another one that is not allowed", change: image(), refused: "the platform only allows images from registry.example.org"},
			{name: "break the policy", change: environmentConfig("guardRails: {maxGPU: 0}"), refused: "EnvironmentConfig[dynamo].data.guardRails.maxGPU"},
			{name: "allow everything for the namespace", change: environmentConfig(rails + "namespaces: [{selector: {matchNames: [infer*]}, guardRails: {imageRegistries: ['*'], maxGPUs: 100, maxReplicas: 100}}]"), touched: []string{"frontend"}},
			{name: "remove the policy", change: environmentConfig("")},
		}
	}
	followAll(t, map[string]sequence{
		"policy-on-grove": {
			reason: "The policy of the platform never changes a live graph.",
			xr:     vllm, cluster: harness.GroveKAI, steps: lives(),
		},
		"policy-on-deployments": {
			reason: "The policy of the platform never changes a live graph.",
			xr:     "examples/v1alpha1/agg-vllm.yaml", cluster: "examples/cluster/none.yaml",
			steps: []step{
				{name: "create against guard rails", change: environmentConfig(rails), refused: "the platform allows at most 0"},
				{name: "create without policy", change: environmentConfig("")},
				{name: "settled", change: settled()},
				{name: "install the policy", change: environmentConfig(other + rails)},
				{name: "break the policy", change: environmentConfig("kai: {mode: On}"), refused: "EnvironmentConfig[dynamo].data.kai.mode"},
				{name: "remove the policy", change: environmentConfig("")},
			},
		},
	})
}

// environmentConfig of the platform with data, YAML. Empty: there is none.
func environmentConfig(data string) func(*testing.T, *harness.Chain) {
	return func(t *testing.T, c *harness.Chain) {
		t.Helper()
		c.Cluster = slices.DeleteFunc(c.Cluster, func(o *unstructured.Unstructured) bool { return o.GetKind() == "EnvironmentConfig" })
		if data == "" {
			return
		}
		fields := map[string]any{}
		if err := yaml.Unmarshal([]byte(data), &fields); err != nil {
			t.Fatal(err)
		}
		c.Cluster = append(c.Cluster, &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "apiextensions.crossplane.io/v1beta1", "kind": "EnvironmentConfig", "metadata": map[string]any{"name": "dynamo"}, "data": fields,
		}})
	}
}
