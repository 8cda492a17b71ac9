package observed

import (
	"cmp"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/internal/apis/grove/v1alpha1"
)

// trouble of a child, as its status and its counts show it.
type trouble struct {
	// unreadable is the error met when the child was decoded. What could be decoded of it counts all the same.
	unreadable error
	meta       *metav1.ObjectMeta
	// short says that fewer replicas are up than are wanted. Conditions explain why; without a shortage they are out of date.
	short      bool
	conditions []metav1.Condition
	lastErrors []grovev1alpha1.LastError
}

// String is empty when there is no trouble.
func (t trouble) String() string {
	breached := t.condition(grovev1alpha1.ConditionMinAvailableBreached)
	terminated := t.condition(grovev1alpha1.ConditionGangTerminationInProgress)
	switch {
	case t.unreadable != nil:
		return "cannot be read: " + t.unreadable.Error()
	case t.meta.DeletionTimestamp != nil:
		return "is being deleted"
	case t.short && terminated.Status == metav1.ConditionTrue:
		return "its gang was terminated and starts anew: " + cmp.Or(terminated.Message, terminated.Reason)
	case t.short && unscheduled(breached):
		return "waits for a place on nodes: " + cmp.Or(breached.Message, breached.Reason)
	case t.short && breached.Status == metav1.ConditionTrue:
		return "too few replicas are up: " + cmp.Or(breached.Message, breached.Reason)
	case len(t.lastErrors) > 0:
		return "Grove reports: " + cmp.Or(t.lastErrors[0].Description, t.lastErrors[0].Code, "an error")
	default:
		return ""
	}
}

// unscheduled reports whether a condition MinAvailableBreached says that pods wait to be scheduled. Up to v0.1.0-alpha.11 it
// is False then, as if all were well, and later releases have it at False while no pod at all is placed.
func unscheduled(breached metav1.Condition) bool {
	switch breached.Reason {
	case grovev1alpha1.ReasonInsufficientScheduledPods,
		grovev1alpha1.ReasonInsufficientScheduledScalingGroups,
		grovev1alpha1.ReasonScheduledReplicasBelowMinAvailable:
		return true
	default:
		return false
	}
}

func (t trouble) condition(conditionType string) metav1.Condition {
	for _, c := range t.conditions {
		if c.Type == conditionType {
			return c
		}
	}
	return metav1.Condition{}
}
