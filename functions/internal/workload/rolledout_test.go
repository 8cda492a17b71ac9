package workload

import "testing"

func TestRolledOut(t *testing.T) {
	deployment := func(spec, status string) string {
		return `{"kind":"Deployment","metadata":{"generation":3},"spec":{` + spec + `},"status":{` + status + `}}`
	}
	cases := map[string]struct {
		reason   string
		observed string
		want     bool
	}{
		"Deployment":         {reason: "All pods are of the latest template.", observed: deployment(`"replicas":2`, `"observedGeneration":3,"replicas":2,"updatedReplicas":2`), want: true},
		"NotAvailable":       {reason: "Whether they do their work is another matter.", observed: deployment(``, `"observedGeneration":3,"replicas":1,"updatedReplicas":1,"availableReplicas":0`), want: true},
		"None":               {reason: "None of none is all.", observed: deployment(`"replicas":0`, `"observedGeneration":3`), want: true},
		"NotSeen":            {reason: "A status of the generation before is of another template.", observed: deployment(``, `"observedGeneration":2,"replicas":1,"updatedReplicas":1`)},
		"NotUpdated":         {reason: "Some are to come.", observed: deployment(`"replicas":2`, `"observedGeneration":3,"replicas":1,"updatedReplicas":1`)},
		"OldOnesLeft":        {reason: "Some are left.", observed: deployment(``, `"observedGeneration":3,"replicas":2,"updatedReplicas":1`)},
		"OldOnesTerminating": {reason: "Some are about to end.", observed: deployment(``, `"observedGeneration":3,"replicas":1,"updatedReplicas":1,"terminatingReplicas":1`)},
		"BeingDeleted":       {reason: "Whose pods are of which template is not told of what is being deleted.", observed: `{"kind":"Deployment","metadata":{"generation":3,"deletionTimestamp":"2026-01-01T00:00:00Z"},"status":{"observedGeneration":3,"replicas":1,"updatedReplicas":1}}`},
		"Unreadable":         {reason: "Nor is it of what cannot be read.", observed: deployment(`"replicas":"two"`, ``)},
		"LeaderWorkerSet":    {reason: "A LeaderWorkerSet that is done has no earlier pods.", observed: `{"kind":"LeaderWorkerSet",` + setUp[1:], want: true},
		"NotReady":           {reason: "One that is only updated may have.", observed: `{"kind":"LeaderWorkerSet","status":{"replicas":1,"updatedReplicas":1}}`},
		"PodCliqueSet":       {reason: "Grove says when its update has ended.", observed: `{"kind":"PodCliqueSet",` + cliqueSetUp[1:], want: true},
		"Starting":           {reason: "Whether pods are available is another matter.", observed: `{"kind":"PodCliqueSet",` + cliqueSetStarting[1:], want: true},
		"Updating":           {reason: "It says also when it has not.", observed: `{"kind":"PodCliqueSet",` + cliqueSetRolling[1:]},
		"SomethingElse":      {reason: "Nothing is known of other kinds.", observed: `{"kind":"StatefulSet"}`},
		"Nothing":            {reason: "Nor of nothing."},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := RolledOut(object(tc.observed)); got != tc.want {
				t.Errorf("%s\nRolledOut(...): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}
