package contract

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"
)

// inGlobalNamespace is a graph without a name, in the Dynamo namespace of all graphs that ask for it.
const inGlobalNamespace = `
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {namespace: inference}
spec:
  services:
    Frontend:
      componentType: frontend
      globalDynamoNamespace: true
      extraPodSpec: {mainContainer: {image: "registry.example.org/runtime:1"}}
    Untyped:
      globalDynamoNamespace: true
      extraPodSpec: {mainContainer: {image: "registry.example.org/runtime:1", command: [serve]}}
    Worker:
      componentType: worker
      globalDynamoNamespace: true
      modelRef: {name: example/model}
      multinode: {nodeCount: 2}
      resources: {limits: {gpu: "4"}}
      extraPodSpec: {mainContainer: {image: "registry.example.org/runtime:1", command: [python3, -m, dynamo.vllm]}}
`

// TestServicesSelectTheirGraph shows that each Service selects pods of its own graph, and of no other, also where graphs share
// their Dynamo namespace.
func TestServicesSelectTheirGraph(t *testing.T) {
	all := platforms(t, fused)
	for _, on := range []string{"grove", "everything", "lws"} {
		t.Run(on, func(t *testing.T) {
			composed := map[string][]*unstructured.Unstructured{}
			for _, name := range []string{"a", "b"} {
				xr := &unstructured.Unstructured{}
				if err := yaml.Unmarshal([]byte(inGlobalNamespace), &xr.Object); err != nil {
					t.Fatal(err)
				}
				xr.SetName(name)
				xr.SetUID(types.UID(name))
				g := apply(t, all[on], xr, all[on].cluster)
				if g == nil {
					t.Fatalf("graph %s is refused", name)
				}
				composed[name] = g.Objects()
			}
			for name, other := range map[string]string{"a": "b", "b": "a"} {
				selectors := selectorsOf(t, composed[name])
				if len(selectors) != 4 {
					t.Errorf("graph %s: want a Service for each service and one for the model, got %d", name, len(selectors))
				}
				for service, selector := range selectors {
					if !selectsAny(selector, podLabels(t, composed[name])) {
						t.Errorf("Service %s selects no pod of its graph: %v", service, selector)
					}
					if selectsAny(selector, podLabels(t, composed[other])) {
						t.Errorf("Service %s selects pods of graph %s: %v", service, other, selector)
					}
				}
			}
		})
	}
}

// selectorsOf the Services among objects, by name.
func selectorsOf(t *testing.T, objects []*unstructured.Unstructured) map[string]labels.Selector {
	t.Helper()
	all := map[string]labels.Selector{}
	for _, o := range objects {
		if o.GetKind() == "Service" {
			selector, _, err := unstructured.NestedStringMap(o.Object, "spec", "selector")
			if err != nil {
				t.Fatal(err)
			}
			all[o.GetName()] = labels.SelectorFromSet(selector)
		}
	}
	return all
}

func selectsAny(selector labels.Selector, pods []labels.Set) bool {
	for _, pod := range pods {
		if selector.Matches(pod) {
			return true
		}
	}
	return false
}

// podLabels of the pod templates of the workloads among objects.
func podLabels(t *testing.T, objects []*unstructured.Unstructured) []labels.Set {
	t.Helper()
	var all []labels.Set
	add := func(tree map[string]any, path ...string) {
		set, found, err := unstructured.NestedStringMap(tree, path...)
		if err != nil || !found {
			t.Fatalf("there are no labels at %v: %v", path, err)
		}
		all = append(all, set)
	}
	for _, o := range objects {
		switch o.GetKind() {
		case "Deployment":
			add(o.Object, "spec", "template", "metadata", "labels")
		case "LeaderWorkerSet":
			add(o.Object, "spec", "leaderWorkerTemplate", "leaderTemplate", "metadata", "labels")
			add(o.Object, "spec", "leaderWorkerTemplate", "workerTemplate", "metadata", "labels")
		case "PodCliqueSet":
			cliques, _, _ := unstructured.NestedSlice(o.Object, "spec", "template", "cliques")
			for _, item := range cliques {
				clique, _ := item.(map[string]any)
				add(clique, "labels")
			}
		}
	}
	return all
}
