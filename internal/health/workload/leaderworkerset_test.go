package workload

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"
)

func TestLeaderWorkerSet(t *testing.T) {
	one := new(int32(1))
	isAvailable := setAvailable(metav1.ConditionTrue)
	done := observing(3, groupsOf(1, 1, 1, isAvailable, setProgressing(metav1.ConditionFalse)))
	// since is a set that was available since a time before its last change, and is now available since a later time.
	since := func(earlier, now string) *lwsv1.LeaderWorkerSet {
		condition := isAvailable
		condition.LastTransitionTime = at(now)
		set := leaderWorkerSetOf(one, groupsOf(1, 1, 1, condition))
		set.Annotations = map[string]string{"dynamo.nvidia.com/available-since-before-restart": "2026-01-01T" + earlier + ":00Z"}
		return set
	}
	counts := func(replicas, updated, ready int32) Counts {
		return Counts{Replicas: replicas, Updated: updated, Ready: new(ready)}
	}
	terminating, observedSince := leaderWorkerSetOf(one, done), since("09:00", "09:00")
	deleted(&terminating.ObjectMeta)
	observedSince.Status.ObservedGeneration = 3
	compare(t, LeaderWorkerSet, map[string]objectCase{
		"NotCreated":     {reason: "A LeaderWorkerSet that does not exist has no replicas.", want: Object{Counts: counts(0, 0, 0), Message: "not created yet", Reason: some}},
		"BeingDeleted":   {reason: "A LeaderWorkerSet that is being deleted is not done, although its groups still are ready.", observed: terminating, want: Object{Counts: counts(1, 1, 1), Message: "is being deleted", Reason: some}},
		"Ready":          {reason: "A LeaderWorkerSet that is seen, updated, ready and available is done.", observed: leaderWorkerSetOf(one, done), want: Object{Counts: counts(1, 1, 1), Done: true}},
		"OneByDefault":   {reason: "Without a number there is one group.", observed: leaderWorkerSetOf(nil, done), want: Object{Counts: counts(1, 1, 1), Done: true}},
		"BeforeLWS09":    {reason: "Before v0.9 no generation is observed.", observed: setUp(), want: Object{Counts: counts(1, 1, 1), Done: true}},
		"OldStatus":      {reason: "A status of an earlier generation is of other pods.", observed: leaderWorkerSetOf(one, observing(2, groupsOf(1, 1, 1, isAvailable))), want: Object{Counts: counts(1, 1, 1), Message: "its controller has not observed the latest change yet", Reason: some}},
		"SameSince":      {reason: "Before v0.9, a set that has been available since before its last change has not seen it.", observed: since("09:00", "09:00"), want: Object{Counts: counts(1, 1, 1), Message: "its controller has not observed the latest change yet", Reason: some}},
		"AvailableAgain": {reason: "Before v0.9, a set that has become available again since its last change has seen it.", observed: since("08:00", "09:00"), want: Object{Counts: counts(1, 1, 1), Done: true}},
		"SinceObserved":  {reason: "If the status contains a generation, the time since which the set is available does not matter.", observed: observedSince, want: Object{Counts: counts(1, 1, 1), Done: true}},
		"NotUpdated":     {reason: "All groups of a LeaderWorkerSet must be updated.", observed: leaderWorkerSetOf(one, observing(3, groupsOf(1, 0, 1, isAvailable))), want: Object{Counts: counts(1, 0, 1), Message: "0 of 1 groups are updated", Reason: some}},
		"NotReady":       {reason: "All groups of a LeaderWorkerSet must be ready.", observed: leaderWorkerSetOf(one, observing(3, groupsOf(1, 1, 0, isAvailable))), want: Object{Counts: counts(1, 1, 0), Message: "0 of 1 groups are ready", Reason: some}},
		"TooMany":        {reason: "A LeaderWorkerSet must have no more groups than wanted.", observed: leaderWorkerSetOf(one, observing(3, groupsOf(2, 1, 1, isAvailable))), want: Object{Counts: counts(2, 1, 1), Message: "2 groups exist, but 1 are desired", Reason: some}},
		"Progressing":    {reason: "A LeaderWorkerSet must be at rest.", observed: leaderWorkerSetOf(one, observing(3, groupsOf(1, 1, 1, isAvailable, setProgressing(metav1.ConditionTrue)))), want: Object{Counts: counts(1, 1, 1), Message: "is progressing", Reason: some}},
		"ConditionFalse": {reason: "A LeaderWorkerSet must be available.", observed: leaderWorkerSetOf(one, observing(3, groupsOf(1, 1, 1, setAvailable(metav1.ConditionFalse)))), want: Object{Counts: counts(1, 1, 1), Message: "condition Available is not True", Reason: some}},
		"NotSeen":        {reason: "A new LeaderWorkerSet has no pods.", observed: leaderWorkerSetOf(one, groupsOf(0, 0, 0)), want: Object{Counts: counts(0, 0, 0), Message: "0 of 1 groups have pods", Reason: some}},
		"Unreadable":     {reason: "A LeaderWorkerSet that cannot be read is not done.", observed: fields{"kind": "LeaderWorkerSet", "spec": fields{"replicas": "one"}}, want: Object{Message: "cannot be read: cannot read LeaderWorkerSet: spec.replicas: Invalid value: must be a whole number, not a string", Reason: some}},
	})
}
