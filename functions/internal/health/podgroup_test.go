package health

import "testing"

func TestPodGroup(t *testing.T) {
	compare(t, map[string]healthCase{
		"New":           {reason: "It waits for its pods, which would else wait for it.", observed: `{"kind":"PodGroup"}`, want: Health{Ready: true}},
		"Pending":       {reason: "What it waits for may explain why they do not run.", observed: `{"kind":"PodGroup","status":{"phase":"Pending"}}`, want: Health{Ready: true, Note: "waits for its pods (phase Pending)"}},
		"Unschedulable": {reason: "Volcano's reason does more; its message changes with every cycle.", observed: `{"kind":"PodGroup","status":{"phase":"Inqueue","conditions":[{"type":"Unschedulable","status":"True","reason":"NotEnoughResources","message":"4/4 tasks in gang unschedulable"}]}}`, want: Health{Ready: true, Note: "cannot be scheduled (NotEnoughResources, phase Inqueue)"}},
		"Running":       {reason: "A condition of the time before it ran stays there, and says nothing any more.", observed: `{"kind":"PodGroup","status":{"phase":"Running","conditions":[{"type":"Unschedulable","status":"True","reason":"NotEnoughResources"}]}}`, want: Health{Ready: true}},
	})
}
