package workload

import "testing"

func TestDeployment(t *testing.T) {
	deployment := func(spec, status string) string {
		return `{"kind":"Deployment","metadata":{"generation":3},"spec":{` + spec + `},"status":{` + status + `}}`
	}
	const (
		two       = `"replicas":2`
		available = `"conditions":[{"type":"Progressing","status":"True"},{"type":"Available","status":"True"}]`
		stuck     = `"conditions":[{"type":"Available","status":"False"},{"type":"Progressing","status":"False","reason":"ProgressDeadlineExceeded"}]`

		quota = `{"type":"ReplicaFailure","status":"True","reason":"FailedCreate","message":"pods \"llama-decode-6d4f-x7k2z\" is forbidden: ` +
			`exceeded quota: gpus, requested: limits.memory=1Gi,requests.nvidia.com/gpu=2, used: limits.memory=3Gi,requests.nvidia.com/gpu=7, ` +
			`limited: limits.memory=4Gi,requests.nvidia.com/gpu=8"}`
		overQuota = "pods cannot be created: forbidden: exceeded quota: gpus, requested: limits.memory=1Gi,requests.nvidia.com/gpu=2, " +
			"limited: limits.memory=4Gi,requests.nvidia.com/gpu=8"
	)
	failure := func(reason, message string) string {
		return `"conditions":[{"type":"Available","status":"False"},{"type":"ReplicaFailure","status":"True","reason":"` + reason + `","message":"` + message + `"}]`
	}
	counts := func(replicas, updated, ready, available int32) Counts {
		return Counts{Replicas: replicas, Updated: updated, Ready: new(ready), Available: new(available)}
	}
	compare(t, Deployment, map[string]objectCase{
		"Ready":          {reason: "A Deployment that is seen, updated and available is done.", observed: deployment(two, `"observedGeneration":3,"replicas":2,"updatedReplicas":2,"readyReplicas":2,"availableReplicas":2,`+available), want: Object{Counts: counts(2, 2, 2, 2), Done: true}},
		"OneByDefault":   {reason: "Without a number there is one replica.", observed: deployment(``, `"observedGeneration":3,"replicas":1,"updatedReplicas":1,"readyReplicas":1,"availableReplicas":1,`+available), want: Object{Counts: counts(1, 1, 1, 1), Done: true}},
		"ScaledToZero":   {reason: "A Deployment without replicas is done when none are there.", observed: deployment(`"replicas":0`, `"observedGeneration":3,`+available), want: Object{Counts: counts(0, 0, 0, 0), Done: true}},
		"NotCreated":     {reason: "A Deployment that does not exist has no replicas.", want: Object{Counts: counts(0, 0, 0, 0), Message: "not created yet", Reason: some}},
		"BeingDeleted":   {reason: "What is on its way out does no work for long.", observed: `{"kind":"Deployment","metadata":{"generation":3,"deletionTimestamp":"2026-01-01T00:00:00Z"},"status":{"observedGeneration":3,"replicas":1,"updatedReplicas":1,"readyReplicas":1,"availableReplicas":1,` + available + `}}`, want: Object{Counts: counts(1, 1, 1, 1), Message: "is being deleted", Reason: some}},
		"Paused":         {reason: "A paused Deployment does not roll out.", observed: deployment(two+`,"paused":true`, ``), want: Object{Counts: counts(0, 0, 0, 0), Message: "is paused", Reason: some}},
		"OldStatus":      {reason: "A status of the generation before is of another pod.", observed: deployment(two, `"observedGeneration":2,"replicas":2,"updatedReplicas":2,"availableReplicas":2,`+available), want: Object{Counts: counts(2, 2, 0, 2), Message: "its controller has not observed the latest change yet", Reason: some}},
		"OldFailure":     {reason: "A failure of the generation before is of another pod.", observed: deployment(two, `"observedGeneration":2,`+stuck), want: Object{Counts: counts(0, 0, 0, 0), Message: "its controller has not observed the latest change yet", Reason: some}},
		"Stuck":          {reason: "A rollout past its deadline needs somebody.", observed: deployment(two, `"observedGeneration":3,"replicas":3,"updatedReplicas":1,"readyReplicas":2,"availableReplicas":2,`+stuck), want: Object{Counts: counts(3, 1, 2, 2), Failed: true, Message: "its progress deadline was exceeded, 1 of 2 replicas are updated", Reason: "rolling_update_in_progress"}},
		"StuckUpdated":   {reason: "A rollout past its deadline needs somebody, also when all pods are of the latest revision.", observed: deployment(two, `"observedGeneration":3,"replicas":2,"updatedReplicas":2,`+stuck), want: Object{Counts: counts(2, 2, 0, 0), Failed: true, Message: "its progress deadline was exceeded, 0 of 2 replicas are available", Reason: some}},
		"NotUpdated":     {reason: "A Deployment with old replicas in place of wanted ones is not done.", observed: deployment(two, `"observedGeneration":3,"replicas":2,"updatedReplicas":1,"availableReplicas":2,`+available), want: Object{Counts: counts(2, 1, 0, 2), Message: "1 of 2 replicas are updated", Reason: "rolling_update_in_progress"}},
		"OldOnesLeft":    {reason: "A Deployment with old replicas beside the wanted ones is not done.", observed: deployment(two, `"observedGeneration":3,"replicas":3,"updatedReplicas":2,"availableReplicas":3,`+available), want: Object{Counts: counts(3, 2, 0, 3), Message: "1 old replicas are pending termination", Reason: "rolling_update_in_progress"}},
		"NotAvailable":   {reason: "All replicas of a Deployment must be available.", observed: deployment(two, `"observedGeneration":3,"replicas":2,"updatedReplicas":2,"availableReplicas":1,`+available), want: Object{Counts: counts(2, 2, 0, 1), Message: "1 of 2 replicas are available", Reason: some}},
		"ConditionFalse": {reason: "A Deployment whose condition Available is False is not done.", observed: deployment(two, `"observedGeneration":3,"replicas":2,"updatedReplicas":2,"availableReplicas":2,"conditions":[{"type":"Available","status":"False"}]`), want: Object{Counts: counts(2, 2, 0, 2), Message: "condition Available is not True", Reason: some}},
		"NoCondition":    {reason: "A Deployment without a condition Available is not done.", observed: deployment(two, `"observedGeneration":3,"replicas":2,"updatedReplicas":2,"availableReplicas":2`), want: Object{Counts: counts(2, 2, 0, 2), Message: "condition Available is not True", Reason: some}},
		"OverQuota":      {reason: "Pods that the API server refuses are why replicas lack, and neither their names nor what others use of a quota are said, since both change all the time.", observed: deployment(two, `"observedGeneration":3,"replicas":1,"updatedReplicas":1,"readyReplicas":1,"availableReplicas":1,"conditions":[`+quota+`]`), want: Object{Counts: counts(1, 1, 1, 1), Message: "1 of 2 replicas are updated, " + overQuota, Reason: some}},
		"StuckOverQuota": {reason: "Pods that the API server refuses are why replicas lack, also past the deadline.", observed: deployment(two, `"observedGeneration":3,"conditions":[{"type":"Progressing","status":"False","reason":"ProgressDeadlineExceeded"},`+quota+`]`), want: Object{Counts: counts(0, 0, 0, 0), Failed: true, Message: "its progress deadline was exceeded, 0 of 2 replicas are updated, " + overQuota, Reason: some}},
		"Denied":         {reason: "An admission webhook refuses pods without naming them.", observed: deployment(two, `"observedGeneration":3,`+failure("FailedCreate", `admission webhook \"pods.example.org\" denied the request: no`)), want: Object{Counts: counts(0, 0, 0, 0), Message: `0 of 2 replicas are updated, pods cannot be created: admission webhook "pods.example.org" denied the request: no`, Reason: some}},
		"Invalid":        {reason: "A message of several lines becomes one.", observed: deployment(two, `"observedGeneration":3,`+failure("FailedCreate", `Pod \"llama-decode-6d4f-x7k2z\" is invalid:\n  spec.priority: Forbidden`)), want: Object{Counts: counts(0, 0, 0, 0), Message: "0 of 2 replicas are updated, pods cannot be created: invalid: spec.priority: Forbidden", Reason: some}},
		"NotDeleted":     {reason: "Pods may also be refused their deletion.", observed: deployment(two, `"observedGeneration":3,"replicas":3,"updatedReplicas":2,"availableReplicas":3,`+failure("FailedDelete", `admission webhook \"pods.example.org\" denied the request: no`)), want: Object{Counts: counts(3, 2, 0, 3), Message: `1 old replicas are pending termination, pods cannot be deleted: admission webhook "pods.example.org" denied the request: no`, Reason: "rolling_update_in_progress"}},
		"OldRefusal":     {reason: "What was refused before matters no more once all replicas are available.", observed: deployment(two, `"observedGeneration":3,"replicas":2,"updatedReplicas":2,"readyReplicas":2,"availableReplicas":2,"conditions":[{"type":"Available","status":"True"},`+quota+`]`), want: Object{Counts: counts(2, 2, 2, 2), Done: true}},
		"Unreadable":     {reason: "What cannot be read is not done.", observed: `{"kind":"Deployment","spec":{"replicas":"two"}}`, want: Object{Message: "cannot be read: cannot read Deployment: spec.replicas: Invalid value: must be a whole number, not a string", Reason: some}},
	})
}
