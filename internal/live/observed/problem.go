package observed

import (
	"cmp"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
)

// problem of a child, as its status and its counts show it.
type problem struct {
	// unreadable is the error met when the child was decoded. What could be decoded of it counts all the same.
	unreadable error
	meta       *metav1.ObjectMeta
	// short says that fewer replicas are up than are wanted. Conditions explain why; without a shortage they are out of date.
	short bool
	// behind says that Grove has not observed the latest generation.
	behind     bool
	conditions []metav1.Condition
	lastErrors []grovev1alpha1.LastError
}

// String is empty when there is no problem.
func (p problem) String() string {
	breached := p.condition(grovev1alpha1.ConditionMinAvailableBreached)
	terminated := p.condition(grovev1alpha1.ConditionGangTerminationInProgress)
	switch {
	case p.unreadable != nil:
		return "cannot be read: " + p.unreadable.Error()
	case p.meta.DeletionTimestamp != nil:
		return "is being deleted"
	case p.short && terminated.Status == metav1.ConditionTrue:
		return "its gang was terminated and is starting again: " + cmp.Or(terminated.Message, terminated.Reason)
	case p.short && breached.Status == metav1.ConditionTrue && !unscheduled(breached):
		return "too few replicas are available: " + cmp.Or(breached.Message, breached.Reason)
	case (p.short || p.behind) && len(p.lastErrors) > 0:
		// Grove does not take an error back when it succeeds, so that one of a complete child is of the past.
		// https://github.com/ai-dynamo/grove/blob/v0.1.0-alpha.10/operator/internal/controller/podclique/reconcilespec.go
		return Complaint(p.lastErrors)
	default:
		return ""
	}
}

// unscheduled says, as the operator does, that pods wait for a place. Empty if they do not, or Grove does not say so. The operator knows
// neither the reasons of MinAvailableBreached since v0.1.0-alpha.12 nor those of PodCliques, and takes such pods for outdated. dynamo-operator,
// August 2026, observePodCliqueReadiness and observePCSGReadiness in internal/dynamo/grove.go.
func (p problem) unscheduled() string {
	if !p.short {
		return ""
	}
	scheduled := p.condition(grovev1alpha1.ConditionPodCliqueScheduled)
	if scheduled.Status == metav1.ConditionFalse && scheduled.Reason == grovev1alpha1.ReasonInsufficientScheduledPods {
		return "scheduling condition " + scheduled.Reason + ": " + scheduled.Message
	}
	if breached := p.condition(grovev1alpha1.ConditionMinAvailableBreached); unscheduled(breached) {
		return "min-available breached (" + breached.Reason + "): " + breached.Message
	}
	return ""
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

func (p problem) condition(conditionType string) metav1.Condition {
	for _, c := range p.conditions {
		if c.Type == conditionType {
			return c
		}
	}
	return metav1.Condition{}
}
