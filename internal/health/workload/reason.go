package workload

import "github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"

// Combine the reasons of two components or objects. A reason is empty if its object is ready. As with the operator, equal reasons are kept,
// different reasons become ReasonMixedNotReady, and a rolling update without Grove takes precedence over all others.
// dynamo-operator, August 2026, evaluateGroveComponents and readyCondition.
func Combine(one, other string) string {
	switch {
	case one == "" || one == other:
		return other
	case other == "":
		return one
	case one == condition.ReasonRollingUpdate || other == condition.ReasonRollingUpdate:
		return condition.ReasonRollingUpdate
	default:
		return condition.ReasonMixedNotReady
	}
}
