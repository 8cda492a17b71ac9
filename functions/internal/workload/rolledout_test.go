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
		"Deployment":         {reason: "A Deployment whose pods are all of the latest template has rolled out.", observed: deployment(`"replicas":2`, `"observedGeneration":3,"replicas":2,"updatedReplicas":2`), want: true},
		"NotAvailable":       {reason: "A Deployment has rolled out whether or not its pods do their work.", observed: deployment(``, `"observedGeneration":3,"replicas":1,"updatedReplicas":1,"availableReplicas":0`), want: true},
		"None":               {reason: "A Deployment without replicas has rolled out when none are there.", observed: deployment(`"replicas":0`, `"observedGeneration":3`), want: true},
		"NotSeen":            {reason: "A status of the generation before is of another template.", observed: deployment(``, `"observedGeneration":2,"replicas":1,"updatedReplicas":1`)},
		"NotUpdated":         {reason: "A Deployment with pods of the latest template still to come has not rolled out.", observed: deployment(`"replicas":2`, `"observedGeneration":3,"replicas":1,"updatedReplicas":1`)},
		"OldOnesLeft":        {reason: "A Deployment with pods of an earlier template has not rolled out.", observed: deployment(``, `"observedGeneration":3,"replicas":2,"updatedReplicas":1`)},
		"OldOnesTerminating": {reason: "A Deployment with pods that are about to end has not rolled out.", observed: deployment(``, `"observedGeneration":3,"replicas":1,"updatedReplicas":1,"terminatingReplicas":1`)},
		"BeingDeleted":       {reason: "A Deployment that is being deleted does not tell of which template its pods are.", observed: `{"kind":"Deployment","metadata":{"generation":3,"deletionTimestamp":"2026-01-01T00:00:00Z"},"status":{"observedGeneration":3,"replicas":1,"updatedReplicas":1}}`},
		"Unreadable":         {reason: "A Deployment that cannot be read does not tell of which template its pods are.", observed: deployment(`"replicas":"two"`, ``)},
		"LeaderWorkerSet":    {reason: "A LeaderWorkerSet that is done has no earlier pods.", observed: `{"kind":"LeaderWorkerSet",` + setUp[1:], want: true},
		"NotReady":           {reason: "A LeaderWorkerSet that is only updated may have earlier pods.", observed: `{"kind":"LeaderWorkerSet","status":{"replicas":1,"updatedReplicas":1}}`},
		"PodCliqueSet":       {reason: "Grove says when its update has ended.", observed: `{"kind":"PodCliqueSet",` + cliqueSetUp[1:], want: true},
		"Starting":           {reason: "A PodCliqueSet has rolled out whether or not its pods are available.", observed: `{"kind":"PodCliqueSet",` + cliqueSetStarting[1:], want: true},
		"Updating":           {reason: "A PodCliqueSet whose update goes on has not rolled out.", observed: `{"kind":"PodCliqueSet",` + cliqueSetRolling[1:]},
		"SomethingElse":      {reason: "Nothing is known of other kinds.", observed: `{"kind":"StatefulSet"}`},
		"Nothing":            {reason: "Nothing is known of an object that does not exist."},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := RolledOut(object(tc.observed)); got != tc.want {
				t.Errorf("%s\nRolledOut(...): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}
