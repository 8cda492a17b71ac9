package workload

import (
	"strings"
	"testing"
)

func TestLeaderWorkerSet(t *testing.T) {
	set := func(spec, status string) string {
		return `{"kind":"LeaderWorkerSet","metadata":{"generation":3},"spec":{` + spec + `},"status":{` + status + `}}`
	}
	const (
		one       = `"replicas":1`
		done      = `"observedGeneration":3,"replicas":1,"updatedReplicas":1,"readyReplicas":1`
		available = `,"conditions":[{"type":"Available","status":"True"},{"type":"Progressing","status":"False"}]`
	)
	sinceSet := func(before, now string) string {
		return `{"kind":"LeaderWorkerSet","metadata":{"generation":3,"annotations":{"dynamo.nvidia.com/available-since-before-restart":"2026-01-01T0` + before + `:00Z"}},"spec":{` + one + `},
			"status":{"replicas":1,"updatedReplicas":1,"readyReplicas":1,"conditions":[{"type":"Available","status":"True","lastTransitionTime":"2026-01-01T0` + now + `:00Z"}]}}`
	}
	counts := func(replicas, updated, ready int32) Counts {
		return Counts{Replicas: replicas, Updated: updated, Ready: new(ready)}
	}
	compare(t, LeaderWorkerSet, map[string]objectCase{
		"NotCreated":       {reason: "A LeaderWorkerSet that does not exist has no replicas.", want: Object{Counts: counts(0, 0, 0), Message: "not created yet", Reason: some}},
		"BeingDeleted":     {reason: "What is on its way out does no work for long.", observed: `{"kind":"LeaderWorkerSet","metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z"},"status":{` + done + available + `}}`, want: Object{Counts: counts(1, 1, 1), Message: "is being deleted", Reason: some}},
		"Ready":            {reason: "A LeaderWorkerSet that is seen, updated, ready and available is done.", observed: set(one, done+available), want: Object{Counts: counts(1, 1, 1), Done: true}},
		"OneByDefault":     {reason: "Without a number there is one group.", observed: set(``, done+available), want: Object{Counts: counts(1, 1, 1), Done: true}},
		"BeforeLWS09":      {reason: "Before v0.9 no generation is observed.", observed: set(one, `"replicas":1,"updatedReplicas":1,"readyReplicas":1`+available), want: Object{Counts: counts(1, 1, 1), Done: true}},
		"OldStatus":        {reason: "A status of the generation before is of another group.", observed: set(one, `"observedGeneration":2,"replicas":1,"updatedReplicas":1,"readyReplicas":1`+available), want: Object{Counts: counts(1, 1, 1), Message: "its controller has not observed the latest change yet", Reason: some}},
		"SameSince":        {reason: "Before v0.9, a set that has been available since before its last change has not seen it.", observed: sinceSet("9:00", "9:00"), want: Object{Counts: counts(1, 1, 1), Message: "its controller has not observed the latest change yet", Reason: some}},
		"AvailableAnew":    {reason: "Before v0.9, a set that has become available again since its last change has seen it.", observed: sinceSet("8:00", "9:00"), want: Object{Counts: counts(1, 1, 1), Done: true}},
		"SinceAndTold":     {reason: "Where the generation tells, nothing else counts.", observed: strings.Replace(sinceSet("9:00", "9:00"), `"status":{`, `"status":{"observedGeneration":3,`, 1), want: Object{Counts: counts(1, 1, 1), Done: true}},
		"NotUpdated":       {reason: "All groups of a LeaderWorkerSet must be updated.", observed: set(one, `"observedGeneration":3,"replicas":1,"readyReplicas":1`+available), want: Object{Counts: counts(1, 0, 1), Message: "0 of 1 groups are updated", Reason: some}},
		"NotReady":         {reason: "All groups of a LeaderWorkerSet must be ready.", observed: set(one, `"observedGeneration":3,"replicas":1,"updatedReplicas":1`+available), want: Object{Counts: counts(1, 1, 0), Message: "0 of 1 groups are ready", Reason: some}},
		"TooMany":          {reason: "A LeaderWorkerSet must have no more groups than wanted.", observed: set(one, `"observedGeneration":3,"replicas":2,"updatedReplicas":1,"readyReplicas":1`+available), want: Object{Counts: counts(2, 1, 1), Message: "2 groups exist, but 1 are desired", Reason: some}},
		"Progressing":      {reason: "A LeaderWorkerSet must be at rest.", observed: set(one, done+`,"conditions":[{"type":"Available","status":"True"},{"type":"Progressing","status":"True"}]`), want: Object{Counts: counts(1, 1, 1), Message: "is progressing", Reason: some}},
		"ConditionFalse":   {reason: "A LeaderWorkerSet must be available.", observed: set(one, done+`,"conditions":[{"type":"Available","status":"False"}]`), want: Object{Counts: counts(1, 1, 1), Message: "condition Available is not True", Reason: some}},
		"NobodyHasSeenIt":  {reason: "A new LeaderWorkerSet has no pods.", observed: set(one, ``), want: Object{Counts: counts(0, 0, 0), Message: "0 of 1 groups have pods", Reason: some}},
		"WhatCannotBeRead": {reason: "A LeaderWorkerSet that cannot be read is not done.", observed: set(`"replicas":"one"`, ``), want: Object{Message: "cannot be read: cannot read LeaderWorkerSet: spec.replicas: Invalid value: must be a whole number, not a string", Reason: some}},
	})
}
