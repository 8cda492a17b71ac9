package functions

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/logging"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

// TestLabelsOfUsers writes a value of its own for each label that the pods of the examples have, on each orchestrator. Pods get it, or its user is told
// that they do not.
func TestLabelsOfUsers(t *testing.T) {
	const own = "own"
	functions := crossplane.InProcess(crossplane.Servers(logging.NewNopLogger()))
	steps, err := crossplane.ReadPipeline(filepath.Join(harness.Root(), "compositions/dynamographdeployment-fused.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	steps.Once = true
	tried := 0
	for _, cluster := range harness.Glob(t, "examples/cluster/*.yaml") {
		for _, path := range harness.Glob(t, "examples/*.yaml") {
			graph := harness.Read(t, path)[0]
			if graph.GetKind() != "DynamoGraphDeployment" {
				continue
			}
			before, err := steps.Reconcile(t.Context(), crossplane.NewGraph(graph, harness.Read(t, cluster)), functions)
			if err != nil || len(labelsOfPods(before)) == 0 {
				continue // This cluster does not run it.
			}
			keys := labelsOfPods(before)
			// A queue has to exist.
			queues := []string{metadata.LabelKAIQueue}
			for _, labels := range [][]string{slices.DeleteFunc(slices.Sorted(maps.Keys(keys)), func(k string) bool { return slices.Contains(queues, k) }), queues} {
				if keys[labels[0]] == nil {
					continue
				}
				tried++
				changed := graph.DeepCopy()
				setLabels(t, changed, labels, own)
				after, err := steps.Reconcile(t.Context(), crossplane.NewGraph(changed, harness.Read(t, cluster)), functions)
				said := saidIn(after)
				if err != nil {
					said += err.Error()
				}
				got := labelsOfPods(after)
				for _, key := range labels {
					kept := len(got[key]) > 0 && !slices.ContainsFunc(got[key], func(value string) bool { return value != own })
					if !kept && !strings.Contains(said, "labels["+key+"]") {
						t.Errorf("%s on %s: label %s of pods is %q, and nothing says that the %q of the user has no effect", filepath.Base(path), filepath.Base(cluster), key, got[key], own)
					}
				}
			}
		}
	}
	if tried == 0 {
		t.Error("no example runs")
	}
}

// setLabels of the pods of all components.
func setLabels(t *testing.T, graph *unstructured.Unstructured, keys []string, value string) {
	t.Helper()
	components, _, err := unstructured.NestedSlice(graph.Object, "spec", "components")
	if err != nil {
		t.Fatal(err)
	}
	for i := range components {
		parts := []any{components[i]}
		if component, ok := components[i].(map[string]any); ok && component["roles"] != nil {
			parts, _ = component["roles"].([]any) // Each has a template of its own.
		}
		for _, part := range parts {
			fields, _ := part.(map[string]any)
			for _, key := range keys {
				if err := unstructured.SetNestedField(fields, value, "podTemplate", "metadata", "labels", key); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if err := unstructured.SetNestedSlice(graph.Object, components, "spec", "components"); err != nil {
		t.Fatal(err)
	}
}

// labelsOfPods in the workloads that are composed: the values of each.
func labelsOfPods(r *crossplane.Reconcile) map[string][]string {
	all := map[string][]string{}
	if r == nil {
		return all
	}
	var walk func(value any)
	walk = func(value any) {
		switch v := value.(type) {
		case []any:
			for _, element := range v {
				walk(element)
			}
		case map[string]any:
			if labels, ok := v["labels"].(map[string]any); ok && labels[metadata.LabelComponent] != nil {
				for key, label := range labels {
					all[key] = append(all[key], fmt.Sprint(label))
				}
			}
			for _, field := range v {
				walk(field)
			}
		}
	}
	for _, resource := range r.Desired().GetResources() {
		object := resource.GetResource().AsMap()
		if slices.Contains([]any{"Deployment", "LeaderWorkerSet", "PodCliqueSet"}, object["kind"]) {
			walk(object["spec"])
		}
	}
	return all
}

// saidIn a reconcile, in all calls.
func saidIn(r *crossplane.Reconcile) string {
	var said strings.Builder
	if r == nil {
		return ""
	}
	for _, call := range r.Calls {
		for _, result := range call.Response.GetResults() {
			said.WriteString(result.GetMessage())
		}
		for _, c := range call.Response.GetConditions() {
			said.WriteString(c.GetMessage())
		}
	}
	return said.String()
}
