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

// TestLabelsOfUsers writes a value of its own for each label and each annotation that the pods of the examples have, on each orchestrator. Pods get it,
// or its user is told that they do not.
func TestLabelsOfUsers(t *testing.T) {
	for _, what := range []string{"labels", "annotations"} {
		t.Run(what, func(t *testing.T) { ofUsers(t, what) })
	}
}

func ofUsers(t *testing.T, what string) {
	t.Helper()
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
			if err != nil || len(ofPods(before, what)) == 0 {
				continue // This cluster does not run it.
			}
			for _, keys := range triedTogether(slices.Sorted(maps.Keys(ofPods(before, what))), what) {
				tried++
				changed := graph.DeepCopy()
				setKeys(t, changed, what, keys, own)
				after, err := steps.Reconcile(t.Context(), crossplane.NewGraph(changed, harness.Read(t, cluster)), functions)
				said := saidIn(after)
				if err != nil {
					said += err.Error()
				}
				got := ofPods(after, what)
				for _, key := range keys {
					kept := len(got[key]) > 0 && !slices.ContainsFunc(got[key], func(value string) bool { return value != own })
					if !kept && !strings.Contains(said, what+"["+key+"]") {
						t.Errorf("%s on %s: %s[%s] of pods is %q, and nothing says that the %q of the user has no effect", filepath.Base(path), filepath.Base(cluster), what, key, got[key], own)
					}
				}
			}
		}
	}
	if tried == 0 {
		t.Error("no example runs")
	}
}

// triedTogether are keys that one graph has: all labels but that of a queue, which has to exist, and each annotation, of which many are read.
func triedTogether(keys []string, what string) [][]string {
	var all [][]string
	var labels []string
	for _, key := range keys {
		if what == "annotations" || key == metadata.LabelKAIQueue {
			all = append(all, []string{key})
		} else {
			labels = append(labels, key)
		}
	}
	if len(labels) > 0 {
		all = append(all, labels)
	}
	return all
}

// setKeys of the labels or the annotations of the pods of all components.
func setKeys(t *testing.T, graph *unstructured.Unstructured, what string, keys []string, value string) {
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
				if err := unstructured.SetNestedField(fields, value, "podTemplate", "metadata", what, key); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if err := unstructured.SetNestedSlice(graph.Object, components, "spec", "components"); err != nil {
		t.Fatal(err)
	}
}

// ofPods are the labels or the annotations of pods in the workloads that are composed: the values of each.
func ofPods(r *crossplane.Reconcile, what string) map[string][]string {
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
				values, _ := v[what].(map[string]any)
				for key, value := range values {
					all[key] = append(all[key], fmt.Sprint(value))
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
