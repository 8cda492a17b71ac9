package sequences

import (
	"fmt"
	"strings"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// control updates the status of one object as its controller does, either while pods are being replaced or after they become ready.
func (w *world) control(object *unstructured.Unstructured, ready bool) {
	switch object.GetKind() {
	case "Deployment":
		w.controlDeployment(object, ready)
	case "LeaderWorkerSet":
		w.controlLeaderWorkerSet(object, ready)
	case "PodCliqueSet":
		w.controlPodCliqueSet(object, ready)
	}
}

func (w *world) controlDeployment(object *unstructured.Unstructured, ready bool) {
	replicas, _, _ := unstructured.NestedInt64(object.Object, "spec", "replicas")
	status := map[string]any{
		"observedGeneration": object.GetGeneration(), "replicas": replicas, "updatedReplicas": int64(0), "availableReplicas": replicas,
		"conditions": []any{map[string]any{"type": "Available", "status": "True"}},
	}
	if ready {
		status["updatedReplicas"] = replicas
	}
	w.set(object, status, "status")
}

func (w *world) controlLeaderWorkerSet(object *unstructured.Unstructured, ready bool) {
	count, available := int64(0), "False"
	if ready {
		count, available = 1, "True"
	}
	before := conditionOf(object, "Available")
	since := before["lastTransitionTime"]
	if before["status"] != available {
		since = fmt.Sprintf("2026-01-01T00:00:%02dZ", w.clock)
	}
	status := map[string]any{
		"replicas": int64(1), "updatedReplicas": count, "readyReplicas": count,
		"conditions": []any{map[string]any{"type": "Available", "status": available, "lastTransitionTime": since}},
	}
	if w.tellsGeneration {
		status["observedGeneration"] = object.GetGeneration()
	}
	w.set(object, status, "status")
}

func conditionOf(object *unstructured.Unstructured, conditionType string) map[string]any {
	conditions, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	for _, c := range conditions {
		if c, ok := c.(map[string]any); ok && c["type"] == conditionType {
			return c
		}
	}
	return nil
}

// controlPodCliqueSet also creates and updates the PodCliques and PodCliqueScalingGroups.
func (w *world) controlPodCliqueSet(object *unstructured.Unstructured, ready bool) {
	progress := map[string]any{"updateStartedAt": "2026-01-01T00:00:00Z"}
	available := int64(0)
	if ready {
		progress["updateEndedAt"], available = "2026-01-01T00:01:00Z", 1
	}
	w.set(object, map[string]any{
		"observedGeneration": object.GetGeneration(), "replicas": int64(1), "availableReplicas": available, "updateProgress": progress,
	}, "status")

	grouped := map[any]string{}
	groups, _, _ := unstructured.NestedSlice(object.Object, "spec", "template", "podCliqueScalingGroups")
	for _, g := range groups {
		group, _ := g.(map[string]any)
		names, _ := group["cliqueNames"].([]any)
		for _, name := range names {
			grouped[name] = fmt.Sprint(group["name"])
		}
		w.controlChild("PodCliqueScalingGroup", object, fmt.Sprint(group["name"]), group["replicas"], w.marksOf(object, names...), ready)
	}
	for _, clique := range w.cliques(object) {
		if grouped[clique["name"]] != "" {
			continue
		}
		replicas, _, _ := unstructured.NestedInt64(clique, "spec", "replicas")
		w.controlChild("PodClique", object, fmt.Sprint(clique["name"]), replicas, w.marksOf(object, clique["name"]), ready)
	}
}

// controlChild updates a child after the restart annotations of its cliques change. Otherwise, the child stays as it is.
func (w *world) controlChild(kind string, set *unstructured.Unstructured, name string, replicas any, marks string, ready bool) {
	full := set.GetName() + "-0-" + name
	child, ok := w.children[full]
	if !ok {
		child = &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "grove.io/v1alpha1", "kind": kind, "spec": map[string]any{"replicas": replicas},
			"metadata": map[string]any{
				"name": full, "namespace": set.GetNamespace(), "generation": int64(1),
				"labels": map[string]any{"app.kubernetes.io/part-of": set.GetName()},
			},
		}}
		w.children[full] = child
	}
	if !ready && cmp.Equal(child.GetAnnotations()["marks"], marks) {
		return
	}
	child.SetAnnotations(map[string]string{"marks": marks})
	up := any(int64(0))
	if ready {
		up = replicas
	}
	w.set(child, map[string]any{
		"observedGeneration": int64(1), "replicas": replicas, "updatedReplicas": up, "readyReplicas": up, "availableReplicas": up, "scheduledReplicas": up,
	}, "status")
}

func (w *world) marksOf(set *unstructured.Unstructured, names ...any) string {
	var marks strings.Builder
	for _, clique := range w.cliques(set) {
		for _, name := range names {
			if clique["name"] == name {
				annotations, _, _ := unstructured.NestedStringMap(clique, "annotations")
				marks.WriteString(annotations[restartAt] + ";")
			}
		}
	}
	return marks.String()
}

func (w *world) cliques(set *unstructured.Unstructured) []map[string]any {
	cliques, _, _ := unstructured.NestedSlice(set.Object, "spec", "template", "cliques")
	var all []map[string]any
	for _, c := range cliques {
		if clique, ok := c.(map[string]any); ok {
			all = append(all, clique)
		}
	}
	return all
}
