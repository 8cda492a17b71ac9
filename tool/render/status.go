package render

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// composite resource in the form in which Crossplane would leave it.
func (r *reconcile) composite(conditions []condition, resources []unstructured.Unstructured, unready []string) *unstructured.Unstructured {
	out := &unstructured.Unstructured{Object: map[string]any{}}
	out.SetGroupVersionKind(r.xr.GroupVersionKind())
	out.SetName(r.xr.GetName())
	out.SetNamespace(r.xr.GetNamespace())
	out.Object["spec"] = map[string]any{"crossplane": map[string]any{
		"resourceRefs": sortedReferences(resources, r.xr.GetNamespace() != ""),
	}}

	status, ok := r.desired.GetComposite().GetResource().AsMap()["status"].(map[string]any)
	if !ok {
		status = map[string]any{}
	}
	all := conditionsOf(status)
	for _, c := range slices.Concat(conditions, r.conditions, []condition{synced(), r.ready(unready)}) {
		all = setCondition(all, c)
	}
	status["conditions"] = conditionList(all)
	out.Object["status"] = status
	return out
}

func synced() condition {
	return condition{Type: "Synced", Status: "True", LastTransitionTime: renderTime, Reason: "ReconcileSuccess"}
}

// ready is the condition of the functions for the composite resource, otherwise whether all composed resources are ready.
func (r *reconcile) ready(unready []string) condition {
	available := condition{Type: "Ready", Status: "True", LastTransitionTime: renderTime, Reason: "Available"}
	creating := condition{Type: "Ready", Status: "False", LastTransitionTime: renderTime, Reason: "Creating"}

	switch r.desired.GetComposite().GetReady() {
	case fnv1.Ready_READY_TRUE:
		return available
	case fnv1.Ready_READY_FALSE:
		return creating
	case fnv1.Ready_READY_UNSPECIFIED:
	}
	if len(unready) == 0 {
		return available
	}
	creating.Message = "Unready resources: " + firstFew(unready)
	return creating
}

// firstFew of a sorted list of names, in the words of Crossplane.
func firstFew(names []string) string {
	const few = 3
	switch {
	case len(names) > few:
		return fmt.Sprintf("%s, and %d more", strings.Join(names[:few], ", "), len(names)-few)
	case len(names) == few:
		return fmt.Sprintf("%s, and %s", strings.Join(names[:few-1], ", "), names[few-1])
	}
	return strings.Join(names, ", ")
}
