package functions

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/logging"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/compositiontest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

// TestAdaptersDeleted deletes the scaling adapters of each example on each orchestrator, which have scaled it to another number than that in the graph,
// in each way in which they get lost. No number of replicas changes.
func TestAdaptersDeleted(t *testing.T) {
	t.Parallel()
	functions := crossplane.InProcess(crossplane.Servers(logging.NewNopLogger()))
	// The clusters of the examples lack the kind, which is otherwise looked for.
	steps := compositiontest.Pipeline(t, "compositions/dynamographdeployment-fused.yaml", map[string]any{"scalingAdapter": map[string]any{"mode": "Enabled"}})
	ways := map[string]func(*unstructured.Unstructured){
		"deleted":                           nil,
		"deleted and the graph is edited":   func(xr *unstructured.Unstructured) { toAll(xr, "replicas", int64(2)) },
		"deleted and references are lost":   func(xr *unstructured.Unstructured) { delete(machineryOf(xr), "resourceRefs") },
		"deleted, references to it as well": nil,
	}
	tried := map[string]int{}
	for _, cluster := range []string{"grove-kai", "lws-volcano", "none"} {
		for i, path := range harness.Glob(t, "examples/*.yaml") {
			graph := harness.Read(t, path)[0]
			if graph.GetKind() != "DynamoGraphDeployment" || graph.GetAPIVersion() != "nvidia.com/v1beta1" || !harness.Sampled(i, 4) {
				continue
			}
			toAll(graph, "scalingAdapter", map[string]any{})
			for _, number := range []int64{0, 5} {
				live := crossplane.NewGraph(graph, harness.Read(t, "examples/cluster/"+cluster+".yaml"))
				live.Composite().SetGeneration(1)
				settle := func(g *crossplane.Graph) error {
					for range 3 {
						if _, err := steps.Apply(t.Context(), g, functions); err != nil {
							return err //nolint:wrapcheck // It is a test.
						}
						actAsGrove(g)
					}
					return nil
				}
				if settle(live) != nil || len(adaptersOf(live)) == 0 {
					continue // This cluster does not run it.
				}
				for _, key := range adaptersOf(live) {
					if err := unstructured.SetNestedField(live.Object(key).Object, number, "spec", "replicas"); err != nil {
						t.Fatal(err)
					}
				}
				if settle(live) != nil {
					continue // A number that the example cannot have.
				}
				want := replicasOf(live)
				for way, edit := range ways {
					tried[cluster]++
					after := live.Clone()
					for _, key := range adaptersOf(after) {
						adapter := after.Remove(key)
						if strings.HasSuffix(way, "as well") {
							forget(after.Composite(), adapter)
						}
					}
					if edit != nil {
						after.Edit(edit)
					}
					if err := settle(after); err != nil {
						t.Errorf("%s on %s, adapters of %d replicas are %s: %v", filepath.Base(path), cluster, number, way, err)
						continue
					}
					if diff := cmp.Diff(want, replicasOf(after)); diff != "" {
						t.Errorf("%s on %s, adapters of %d replicas are %s: replicas -before, +after:\n%s", filepath.Base(path), cluster, number, way, diff)
					}
				}
			}
		}
	}
	for _, cluster := range []string{"grove-kai", "lws-volcano", "none"} {
		if tried[cluster] < 8 {
			t.Errorf("want adapters deleted in many ways on %s, got %d", cluster, tried[cluster])
		}
	}
}

// toAll components of a graph, or to those with these names, sets a field.
func toAll(xr *unstructured.Unstructured, field string, value any, named ...string) {
	components, _, _ := unstructured.NestedSlice(xr.Object, "spec", "components")
	for _, item := range components {
		if component, _ := item.(map[string]any); len(named) == 0 || slices.Contains(named, fmt.Sprint(component["name"])) {
			component[field] = value
		}
	}
	_ = unstructured.SetNestedSlice(xr.Object, components, "spec", "components")
}

func machineryOf(xr *unstructured.Unstructured) map[string]any {
	machinery, _ := xr.Object["spec"].(map[string]any)["crossplane"].(map[string]any)
	return machinery
}

// forget the reference to an object.
func forget(xr, object *unstructured.Unstructured) {
	refs, _ := machineryOf(xr)["resourceRefs"].([]any)
	var kept []any
	for _, item := range refs {
		if ref, _ := item.(map[string]any); ref["kind"] != object.GetKind() || ref["name"] != object.GetName() {
			kept = append(kept, item)
		}
	}
	machineryOf(xr)["resourceRefs"] = kept
}

func adaptersOf(g *crossplane.Graph) []string {
	var keys []string
	for _, key := range g.Composed() {
		if strings.HasPrefix(key, "scalingadapter") {
			keys = append(keys, key)
		}
	}
	return keys
}

// actAsGrove creates the children of a PodCliqueSet, and scales them as the helpers say.
func actAsGrove(g *crossplane.Graph) {
	set := g.Object("podcliqueset")
	if set == nil {
		return
	}
	for list, kind := range map[string]string{"cliques": "PodClique", "podCliqueScalingGroups": "PodCliqueScalingGroup"} {
		templates, _, _ := unstructured.NestedSlice(set.Object, "spec", "template", list)
		for _, item := range templates {
			template, _ := item.(map[string]any)
			replicas := template["replicas"]
			if clique, ok := template["spec"].(map[string]any); ok {
				replicas = clique["replicas"]
			}
			name := fmt.Sprint(template["name"])
			for _, child := range g.Cluster() {
				if child.GetKind() == kind && child.GetName() == set.GetName()+"-0-"+name {
					replicas, _, _ = unstructured.NestedFieldNoCopy(child.Object, "spec", "replicas")
				}
			}
			if helper := g.Object("replicas-" + name); helper != nil {
				replicas, _, _ = unstructured.NestedFieldNoCopy(helper.Object, "spec", "maxReplicas")
			}
			child := &unstructured.Unstructured{Object: map[string]any{"apiVersion": set.GetAPIVersion(), "kind": kind, "spec": map[string]any{"replicas": replicas}}}
			child.SetName(set.GetName() + "-0-" + name)
			child.SetNamespace(set.GetNamespace())
			child.SetGeneration(1)
			child.SetLabels(map[string]string{"app.kubernetes.io/part-of": set.GetName()})
			child.Object["status"] = preview.StatusOf(child)
			g.Put(child)
		}
	}
}

// replicasOf all that runs pods, and of what scales it.
func replicasOf(g *crossplane.Graph) map[string]any {
	all := map[string]any{}
	for _, key := range g.Composed() {
		spec, _ := g.Object(key).Object["spec"].(map[string]any)
		switch g.Object(key).GetKind() {
		case "Deployment", "LeaderWorkerSet":
			all[key] = spec["replicas"]
		case "HorizontalPodAutoscaler":
			all[key] = spec["maxReplicas"]
		case "PodCliqueSet":
			template, _ := spec["template"].(map[string]any)
			for _, list := range []string{"cliques", "podCliqueScalingGroups"} {
				items, _ := template[list].([]any)
				for i, item := range items {
					object, _ := item.(map[string]any)
					clique, _ := object["spec"].(map[string]any)
					all[fmt.Sprintf("%s %d", list, i)] = []any{object["replicas"], clique["replicas"]}
				}
			}
		}
	}
	return all
}
