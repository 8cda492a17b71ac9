package workload

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
)

func TestChild(t *testing.T) {
	// child of two wanted replicas that Grove has seen.
	child := func(replicas, updated, up int32) graphplan.Child {
		return graphplan.Child{
			Generation: 3, ObservedGeneration: new(int64(3)),
			SpecReplicas: 2, Replicas: replicas, UpdatedReplicas: updated, ReadyReplicas: up, AvailableReplicas: up, ScheduledReplicas: replicas,
		}
	}
	with := func(c graphplan.Child, change func(*graphplan.Child)) graphplan.Child {
		change(&c)
		return c
	}
	cases := map[string]struct {
		reason string
		child  graphplan.Child
		// group and clique are the messages on a PodCliqueScalingGroup and on a PodClique. Empty: it is done.
		group, clique string
	}{
		"Ready":        {reason: "A child that is there, updated and up is done.", child: child(2, 2, 2)},
		"ScaledToZero": {reason: "A child without replicas is done when none are there.", child: with(child(0, 0, 0), func(c *graphplan.Child) { c.SpecReplicas = 0 })},
		"NotSeen": {
			reason: "A status that nobody wrote says nothing.", child: with(child(2, 2, 2), func(c *graphplan.Child) { c.ObservedGeneration = nil }),
			group: "Grove has not observed it yet", clique: "Grove has not observed it yet",
		},
		"OldStatus": {
			reason: "A status of the generation before is of other pods.", child: with(child(2, 2, 2), func(c *graphplan.Child) { c.Generation = 4 }),
			group: "Grove has not observed its latest change yet", clique: "Grove has not observed its latest change yet",
		},
		"NotUp":      {reason: "All replicas of a child must be up.", child: child(2, 2, 1), group: "1 of 2 replicas are available", clique: "1 of 2 replicas are ready"},
		"NotUpdated": {reason: "All replicas of a child must be of the wanted revision.", child: child(2, 1, 2), group: "1 of 2 replicas are updated", clique: "1 of 2 replicas are updated"},
		"TooMany":    {reason: "A child must have no more replicas than wanted.", child: child(3, 2, 2), group: "3 replicas exist, but 2 are desired", clique: "3 replicas exist, but 2 are desired"},
		"Problem": {
			reason: "What Grove says is wrong is told beside the counts.", child: with(child(2, 2, 1), func(c *graphplan.Child) { c.Problem = "its gang was terminated" }),
			group: "1 of 2 replicas are available, its gang was terminated", clique: "1 of 2 replicas are ready, its gang was terminated",
		},
		"ProblemAlone": {
			reason: "What Grove says is wrong stands alone where the counts are in order.", child: with(child(2, 2, 2), func(c *graphplan.Child) { c.Problem = "is being deleted" }),
			group: "is being deleted", clique: "is being deleted",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			counts := Counts{Replicas: tc.child.Replicas, Updated: tc.child.UpdatedReplicas, Scheduled: new(tc.child.ScheduledReplicas)}
			group, clique := counts, counts
			group.Available, clique.Ready = new(tc.child.AvailableReplicas), new(tc.child.ReadyReplicas)
			if diff := cmp.Diff(Object{Counts: group, Done: tc.group == "", Message: tc.group}, PodCliqueScalingGroup(tc.child)); diff != "" {
				t.Errorf("%s\nPodCliqueScalingGroup(...): -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(Object{Counts: clique, Done: tc.clique == "", Message: tc.clique}, PodClique(tc.child)); diff != "" {
				t.Errorf("%s\nPodClique(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
