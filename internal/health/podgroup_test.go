package health

import "testing"

func TestPodGroup(t *testing.T) {
	compare(t, map[string]healthCase{
		"New":           {reason: "A PodGroup waits for its pods, which would otherwise wait for it.", observed: `{"kind":"PodGroup"}`, want: Health{Ready: true}},
		"Pending":       {reason: "What a PodGroup waits for may explain why its pods do not run.", observed: `{"kind":"PodGroup","status":{"phase":"Pending"}}`, want: Health{Ready: true, Note: "is waiting for its pods (phase Pending)"}},
		"Unschedulable": {reason: "Volcano's reason explains more than the phase; its message changes with every cycle.", observed: `{"kind":"PodGroup","status":{"phase":"Inqueue","conditions":[{"type":"Unschedulable","status":"True","reason":"NotEnoughResources","message":"4/4 tasks in gang unschedulable"}]}}`, want: Health{Ready: true, Note: "cannot be scheduled (NotEnoughResources, phase Inqueue)"}},
		"Running":       {reason: "A condition from before a PodGroup ran stays there, and says nothing any more.", observed: `{"kind":"PodGroup","status":{"phase":"Running","conditions":[{"type":"Unschedulable","status":"True","reason":"NotEnoughResources"}]}}`, want: Health{Ready: true}},
	})
}
