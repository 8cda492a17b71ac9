package health

import "testing"

func TestDeployment(t *testing.T) {
	deployment := func(spec, status string) string {
		return `{"kind":"Deployment","metadata":{"generation":3},"spec":{` + spec + `},"status":{` + status + `}}`
	}
	const (
		two       = `"replicas":2`
		available = `"conditions":[{"type":"Progressing","status":"True"},{"type":"Available","status":"True"}]`
	)
	compare(t, map[string]healthCase{
		"Ready":          {reason: "Seen, updated and available is ready.", observed: deployment(two, `"observedGeneration":3,"replicas":2,"updatedReplicas":2,"availableReplicas":2,`+available), want: Health{Ready: true}},
		"OneByDefault":   {reason: "Without a number there is one replica.", observed: deployment(``, `"observedGeneration":3,"replicas":1,"updatedReplicas":1,"availableReplicas":1,`+available), want: Health{Ready: true}},
		"ScaledToZero":   {reason: "None of none is all.", observed: deployment(`"replicas":0`, `"observedGeneration":3,`+available), want: Health{Ready: true}},
		"Paused":         {reason: "A paused one does not roll out.", observed: deployment(two+`,"paused":true`, ``), want: Health{Message: "is paused"}},
		"OldStatus":      {reason: "A status of the generation before is of another pod.", observed: deployment(two, `"observedGeneration":2,"replicas":2,"updatedReplicas":2,"availableReplicas":2,`+available), want: Health{Message: "its controller has not seen the latest change yet"}},
		"NotUpdated":     {reason: "Old replicas are not the ones that are wanted.", observed: deployment(two, `"observedGeneration":3,"replicas":2,"updatedReplicas":1,"availableReplicas":2,`+available), want: Health{Message: "1 of 2 replicas are updated"}},
		"OldOnesLeft":    {reason: "Nor are there to be any left.", observed: deployment(two, `"observedGeneration":3,"replicas":3,"updatedReplicas":2,"availableReplicas":3,`+available), want: Health{Message: "1 replicas wait to be terminated"}},
		"NotAvailable":   {reason: "All must be available.", observed: deployment(two, `"observedGeneration":3,"replicas":2,"updatedReplicas":2,"availableReplicas":1,`+available), want: Health{Message: "1 of 2 replicas are available"}},
		"ConditionFalse": {reason: "And the condition must say so.", observed: deployment(two, `"observedGeneration":3,"replicas":2,"updatedReplicas":2,"availableReplicas":2,"conditions":[{"type":"Available","status":"False"}]`), want: Health{Message: "its condition Available is not True"}},
		"NoCondition":    {reason: "Silence does not.", observed: deployment(two, `"observedGeneration":3,"replicas":2,"updatedReplicas":2,"availableReplicas":2`), want: Health{Message: "its condition Available is not True"}},
		"Unreadable":     {reason: "What cannot be read is not ready.", observed: `{"kind":"Deployment","spec":{"replicas":"two"}}`, want: Health{Message: "cannot be read: cannot read a required resource: json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32"}},
	})
}
