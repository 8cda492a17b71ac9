package engines

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// TestGraphsWithoutWeightServers shows what becomes of a graph on Grove whose user asks for weights in pods of their own when it runs: its
// cliques and pods stay, its user is told so, and can change everything else.
func TestGraphsWithoutWeightServers(t *testing.T) {
	const told = "experimental.gpuMemoryService.mode: InterPod has no effect, and each pod has its own GPUs"
	chain := harness.NewChain(t, harness.New(t), "fn-tests/support/corpus/manifests/grove-kai/components-weightservers.yaml", harness.GroveKAI)
	asked, _, _ := unstructured.NestedSlice(chain.XR.Object, "spec", "components")
	var plain []any
	for _, c := range asked {
		component, ok := c.(map[string]any)
		if !ok {
			t.Fatalf("%v is no component", c)
		}
		component = maps.Clone(component)
		delete(component, "experimental")
		plain = append(plain, component)
	}
	set(t, chain.XR, plain, "spec", "components")
	chain.XR.SetGeneration(1)
	if out := chain.Render(t); out.Err != nil {
		t.Fatal(out.Stderr)
	}
	before := chain.Objects["podcliqueset"].DeepCopy()
	set(t, chain.XR, asked, "spec", "components")
	chain.XR.SetGeneration(2)
	for range 2 {
		out := chain.Render(t)
		if out.Err != nil {
			t.Fatal(out.Stderr)
		}
		if !strings.Contains(strings.Join(out.Warnings(), "\n"), told) {
			t.Errorf("want a warning that %s, got %v", told, out.Warnings())
		}
		if diff := cmp.Diff(before.Object["spec"], chain.Objects["podcliqueset"].Object["spec"]); diff != "" {
			t.Fatalf("the PodCliqueSet changes: -before, +after:\n%s", diff)
		}
	}
}
