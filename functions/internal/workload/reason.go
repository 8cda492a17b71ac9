package workload

import "github.com/dynamo-crossplane/configuration-dynamo/functions/internal/condition"

// Combine the reasons of two things that are not ready, or that are if their reason is empty. As with the operator, a reason that both
// have stays, different ones are mixed, and a rolling update without Grove goes before all others.
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
