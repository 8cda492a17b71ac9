package workload

import (
	"testing"

	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"
)

func TestRolledOut(t *testing.T) {
	zero, two := new(int32(0)), new(int32(2))
	terminating, pods := deploymentUp(), progressOf(1, 1, 0, 0)
	deleted(&terminating.ObjectMeta)
	pods.TerminatingReplicas = new(int32(1))
	cases := map[string]struct {
		reason   string
		observed any
		want     bool
	}{
		"Deployment":         {reason: "A Deployment whose pods are all of the latest template has rolled out.", observed: deploymentOf(two, progressOf(2, 2, 0, 0)), want: true},
		"NotAvailable":       {reason: "A Deployment has rolled out even if its pods are not available.", observed: deploymentOf(nil, progressOf(1, 1, 0, 0)), want: true},
		"None":               {reason: "A Deployment without replicas has rolled out when none are there.", observed: deploymentOf(zero, progressOf(0, 0, 0, 0)), want: true},
		"NotSeen":            {reason: "A status of an earlier generation is of another template.", observed: deploymentOf(nil, before(progressOf(1, 1, 0, 0)))},
		"NotUpdated":         {reason: "A Deployment that lacks pods of the latest template has not rolled out.", observed: deploymentOf(two, progressOf(1, 1, 0, 0))},
		"OldOnesLeft":        {reason: "A Deployment with pods of an earlier template has not rolled out.", observed: deploymentOf(nil, progressOf(2, 1, 0, 0))},
		"OldOnesTerminating": {reason: "A Deployment with pods that are about to end has not rolled out.", observed: deploymentOf(nil, pods)},
		"BeingDeleted":       {reason: "A Deployment that is being deleted does not show of which template its pods are.", observed: terminating},
		"Unreadable":         {reason: "A Deployment that cannot be read does not show of which template its pods are.", observed: fields{"apiVersion": "apps/v1", "kind": "Deployment", "spec": fields{"replicas": "two"}}},
		"LeaderWorkerSet":    {reason: "A LeaderWorkerSet that is done has no earlier pods.", observed: setUp(), want: true},
		"NotReady":           {reason: "A LeaderWorkerSet that is only updated may have earlier pods.", observed: leaderWorkerSetOf(nil, lwsv1.LeaderWorkerSetStatus{Replicas: 1, UpdatedReplicas: 1})},
		"PodCliqueSet":       {reason: "Grove shows when its update has ended.", observed: cliqueSetUp(), want: true},
		"Starting":           {reason: "A PodCliqueSet has rolled out even if its pods are not available.", observed: cliqueSetStarting(), want: true},
		"Updating":           {reason: "A PodCliqueSet has not rolled out during its update.", observed: podCliqueSetOf(observedSet(1, updating))},
		"OtherGroup":         {reason: "Nothing is known of a kind that another group calls Deployment.", observed: fields{"apiVersion": "example.org/v1", "kind": "Deployment"}},
		"SomethingElse":      {reason: "Nothing is known of other kinds.", observed: fields{"kind": "StatefulSet"}},
		"Nothing":            {reason: "Nothing is known of an object that does not exist."},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := RolledOut(encoded(t, tc.observed)); got != tc.want {
				t.Errorf("%s\nRolledOut(...): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}
