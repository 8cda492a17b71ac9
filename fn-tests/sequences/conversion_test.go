package sequences

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/conversion"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// picked is a graph with an Endpoint Picker, and with workers of componentType prefill and decode.
const picked = "fn-tests/support/corpus/manifests/everything/releases.yaml"

// converted writes a graph in the other form, as command convert does.
func converted(convert func(map[string]any) (map[string]any, []conversion.Warning)) func(*testing.T, *harness.Chain) {
	return func(t *testing.T, c *harness.Chain) {
		t.Helper()
		object, _ := convert(c.XR.Object)
		// Both versions store either form, and Crossplane always reads a graph at the same version.
		object["apiVersion"] = c.XR.GetAPIVersion()
		c.XR = &unstructured.Unstructured{Object: object}
	}
}

// phase has a component be a worker with a subComponentType, which is the other way to write its type.
func phase(component, subtype string) func(*testing.T, *harness.Chain) {
	return all(set("worker", "spec", "services", component, "componentType"), set(subtype, "spec", "services", component, "subComponentType"))
}

// TestConversion converts live graphs with an Endpoint Picker, there and back.
func TestConversion(t *testing.T) {
	t.Parallel()
	workers := []string{"decode", "prefill"}
	followAll(t, map[string]sequence{
		"converted-phases": {
			reason: "Both forms of a worker with a subComponentType have the same labels.",
			xr:     picked, cluster: "examples/cluster/all.yaml",
			steps: []step{
				{name: "create", change: all(phase("Decode", "decode"), phase("Prefill", "prefill"))},
				{name: "settled", change: settled()},
				{name: "convert to v1beta1", change: converted(conversion.ToV1beta1), as: "create"},
				{name: "convert back", change: converted(conversion.ToV1alpha1), as: "create"},
			},
		},
		"converted-types": {
			reason: "The InferencePool of older images selects by the type as it is written, so workers of componentType prefill and decode are replaced. Command convert warns.",
			xr:     picked, cluster: "examples/cluster/all.yaml",
			steps: created(
				step{name: "convert to v1beta1", change: converted(conversion.ToV1beta1), touched: workers},
				step{name: "convert back", change: converted(conversion.ToV1alpha1), touched: workers, as: "create"},
			),
		},
		"converted-classes": {
			reason: "The InferencePool selects by the class, so the labels of the types are the same in both forms.",
			xr:     picked, cluster: "examples/cluster/all.yaml",
			steps: []step{
				{name: "create", change: set("registry.example.org/dynamo/vllm:1.5.0", "spec", "services", "Decode", "extraPodSpec", "mainContainer", "image")},
				{name: "settled", change: settled()},
				{name: "convert to v1beta1", change: converted(conversion.ToV1beta1), as: "create"},
				{name: "convert back", change: converted(conversion.ToV1alpha1), as: "create"},
			},
		},
	})
}
