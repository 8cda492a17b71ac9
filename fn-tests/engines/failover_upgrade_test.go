package engines

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// TestPodsOfEarlierVersions shows what becomes of a graph with failover whose pods are from a version that did not support it, and that had no
// revisions: its pods stay, its user is told how to get the second engine, and gets it.
func TestPodsOfEarlierVersions(t *testing.T) {
	const told = "spec.services[Worker].failover: has no effect on the running pods"
	chain := harness.NewChain(t, harness.New(t), "fn-tests/support/corpus/manifests/deployment/failover.yaml", "examples/cluster/none.yaml")
	failover, _, _ := unstructured.NestedMap(chain.XR.Object, "spec", "services", "Worker", "failover")
	unstructured.RemoveNestedField(chain.XR.Object, "spec", "services", "Worker", "failover")
	chain.XR.SetGeneration(1)
	if out := chain.Render(t); out.Err != nil {
		t.Fatal(out.Stderr)
	}
	forgetRevisions(chain)
	set(t, chain.XR, failover, "spec", "services", "Worker", "failover")
	set(t, chain.XR, int64(1), "status", "observedGeneration")

	type step struct {
		Containers []string
		Told       bool
	}
	render := func() step {
		t.Helper()
		out := chain.Render(t)
		if out.Err != nil {
			t.Fatal(out.Stderr)
		}
		return step{containersOf(out.Composed), strings.Contains(strings.Join(out.Warnings(), "\n"), told)}
	}
	got := []step{render(), render()}
	chain.XR.SetGeneration(2)
	set(t, chain.XR, "engines", "spec", "restart", "id")
	set(t, chain.XR, "Parallel", "spec", "restart", "strategy", "type")
	got = append(got, render(), render())
	want := []step{{[]string{"main"}, false}, {[]string{"main"}, true}, {[]string{"engine-0", "engine-1"}, false}, {[]string{"engine-0", "engine-1"}, false}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// forgetRevisions leaves a graph as a version without revisions has made it.
func forgetRevisions(chain *harness.Chain) {
	maps.DeleteFunc(chain.Objects, func(_ string, object *unstructured.Unstructured) bool {
		return object.GetKind() == "ControllerRevision"
	})
	for _, object := range chain.Objects {
		annotations := object.GetAnnotations()
		delete(annotations, "dynamo.nvidia.com/revision")
		object.SetAnnotations(annotations)
	}
	unstructured.RemoveNestedField(chain.XR.Object, "status", "services")
}

// containersOf the pods of the Deployment of the worker.
func containersOf(objects []*unstructured.Unstructured) []string {
	containers, _, _ := unstructured.NestedSlice(deployment(objects), "containers")
	var names []string
	for _, c := range containers {
		if container, ok := c.(map[string]any); ok {
			name, _ := container["name"].(string)
			names = append(names, name)
		}
	}
	return names
}

// TestGraphsWithoutWeightServers shows what becomes of a graph on Grove that asked for weights in pods of their own when there were none: its
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
	forgetRevisions(chain)
	before := chain.Objects["podcliqueset"].DeepCopy()
	set(t, chain.XR, asked, "spec", "components")
	set(t, chain.XR, int64(1), "status", "observedGeneration")

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
