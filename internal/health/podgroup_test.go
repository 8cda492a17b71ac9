package health

import "testing"

// TestNativePodGroup shows what a PodGroup of Kubernetes waits for.
func TestNativePodGroup(t *testing.T) {
	const group = `{"apiVersion":"scheduling.k8s.io/v1beta1","kind":"PodGroup"`
	said := func(status, reason string) string {
		return group + `,"status":{"conditions":[{"type":"PodGroupInitiallyScheduled","status":"` + status + `","reason":"` + reason + `","message":"2 of 3"}]}}`
	}
	compare(t, map[string]healthCase{
		"New":           {reason: "A PodGroup waits for its pods, which would otherwise wait for it.", observed: group + `}`, want: Health{Ready: true, Note: "is waiting for its pods"}},
		"Unschedulable": {reason: "The reason stays the same while the message counts.", observed: said("False", "Unschedulable"), want: Health{Ready: true, Note: "cannot be scheduled (Unschedulable)"}},
		"Scheduled":     {reason: "A condition that never changes again says nothing.", observed: said("True", "Scheduled"), want: Health{Ready: true}},
	})
}

func TestPodGroup(t *testing.T) {
	compare(t, map[string]healthCase{
		"New":           {reason: "A PodGroup waits for its pods, which would otherwise wait for it.", observed: `{"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup"}`, want: Health{Ready: true}},
		"Pending":       {reason: "What a PodGroup waits for may explain why its pods do not run.", observed: `{"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup","status":{"phase":"Pending"}}`, want: Health{Ready: true, Note: "is waiting for its pods (phase Pending)"}},
		"Unschedulable": {reason: "Volcano's reason explains more than the phase; its message changes with every cycle.", observed: `{"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup","status":{"phase":"Inqueue","conditions":[{"type":"Unschedulable","status":"True","reason":"NotEnoughResources","message":"4/4 tasks in gang unschedulable"}]}}`, want: Health{Ready: true, Note: "cannot be scheduled (NotEnoughResources, phase Inqueue)"}},
		"Running":       {reason: "A condition from before a PodGroup ran stays there, and says nothing any more.", observed: `{"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup","status":{"phase":"Running","conditions":[{"type":"Unschedulable","status":"True","reason":"NotEnoughResources"}]}}`, want: Health{Ready: true}},
	})
}
