package workload

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

func TestChild(t *testing.T) {
	// of a child with two desired replicas.
	of := func(observed *int64, replicas, updated, up, scheduled int32, change ...func(*graphplan.Child)) graphplan.Child {
		c := graphplan.Child{
			Generation: 3, ObservedGeneration: observed,
			SpecReplicas: 2, Replicas: replicas, UpdatedReplicas: updated, ReadyReplicas: up, AvailableReplicas: up, ScheduledReplicas: scheduled,
		}
		for _, f := range change {
			f(&c)
		}
		return c
	}
	seen := new(int64(3))
	problem := func(c *graphplan.Child) { c.Problem = "its gang was terminated" }
	cases := map[string]struct {
		reason string
		child  graphplan.Child
		// group and clique are the messages for a PodCliqueScalingGroup and for a PodClique. They are empty if the child is done.
		group, clique string
		// detail and because are Detail and Reason of both. uncounted is true if the number of scheduled replicas is not known.
		detail, because string
		uncounted       bool
	}{
		"Ready":        {reason: "A child that is there, updated and up is done.", child: of(seen, 2, 2, 2, 2)},
		"ScaledToZero": {reason: "A child without replicas is done when none are there.", child: of(seen, 0, 0, 0, 0, func(c *graphplan.Child) { c.SpecReplicas = 0 })},
		"NotPlaced":    {reason: "A child that is up is done, also where Grove does not count what is scheduled.", child: of(seen, 2, 2, 2, 0)},
		"NotSeen": {
			reason: "A status that was never written says nothing.", child: of(nil, 2, 2, 2, 2), uncounted: true,
			group: "observedGeneration is nil", clique: "observedGeneration is nil", because: "some_resources_are_not_ready",
		},
		"OldStatus": {
			reason: "A status of the generation before is of other pods.", child: of(new(int64(2)), 2, 2, 2, 2), uncounted: true,
			group: "spec not yet processed: generation=3, observedGeneration=2", clique: "spec not yet processed: generation=3, observedGeneration=2",
			because: "some_resources_are_not_ready",
		},
		"UpdatingUnseen": {
			reason: "From alpha.12 on, the generation of a change is observed when its rolling update ends. Until then, the update is known by its progress.",
			child:  of(new(int64(2)), 2, 1, 2, 2, func(c *graphplan.Child) { c.Update = &graphplan.ChildUpdate{} }), uncounted: true,
			group: "performing rolling update: desired=2, updated=1", clique: "performing rolling update: desired=2, updated=1", because: "updating",
		},
		"UpdatingUnseenUp": {
			reason: "Counts that are in order are those of the pods before the update.",
			child:  of(new(int64(2)), 2, 2, 2, 2, func(c *graphplan.Child) { c.Update = &graphplan.ChildUpdate{} }), uncounted: true,
			group: "performing rolling update: desired=2, updated=2", clique: "performing rolling update: desired=2, updated=2", because: "updating",
		},
		"UpdatingUnseenProblem": {
			reason: "What Grove says is wrong with a pod of the update is told.",
			child:  of(new(int64(2)), 2, 1, 1, 2, func(c *graphplan.Child) { c.Update = &graphplan.ChildUpdate{} }, problem), uncounted: true,
			group: "performing rolling update: desired=2, updated=1", clique: "performing rolling update: desired=2, updated=1",
			detail: "its gang was terminated", because: "updating",
		},
		"Gated": {
			reason: "Grove does not count pods again when they leave their gates, so that gated pods may have a place and lack an image.",
			child:  of(seen, 2, 1, 0, 0, func(c *graphplan.Child) { c.ScheduleGatedReplicas, c.Unscheduled = 2, "scheduling condition X: Y" }),
			group:  "schedule-gated replicas: 2 when Grove last counted them", clique: "schedule-gated replicas: 2 when Grove last counted them", because: "pods_not_ready",
		},
		"Unscheduled": {
			reason: "What Grove says of pods without a place goes before counts.",
			child:  of(seen, 2, 2, 1, 1, func(c *graphplan.Child) { c.Unscheduled = "scheduling condition X: Y" }),
			group:  "scheduling condition X: Y", clique: "scheduling condition X: Y", because: "insufficient_capacity",
		},
		"PartlyScheduled": {
			reason: "Where some pods have a place, the others wait for one.", child: of(seen, 2, 2, 1, 1),
			group: "insufficient scheduled replicas: scheduled=1/2", clique: "insufficient scheduled replicas: scheduled=1/2", because: "insufficient_capacity",
		},
		"NoneScheduled": {
			reason: "Some versions of Grove do not count what is scheduled.", child: of(seen, 2, 2, 0, 0),
			group: "scheduled but available=0/2", clique: "scheduled but ready=0/2", because: "pods_not_ready",
		},
		"NotUpdated": {
			reason: "All replicas of a child must be of the wanted revision.", child: of(seen, 2, 1, 2, 2),
			group: "desired=2, updated=1", clique: "desired=2, updated=1", because: "updating",
		},
		"TooMany": {
			reason: "A child must have no more replicas than wanted.", child: of(seen, 3, 2, 2, 3),
			group: "performing rolling update: desired=2, replicas=3", clique: "performing rolling update: desired=2, replicas=3", because: "updating",
		},
		"NotUp": {
			reason: "All replicas of a child must be up.", child: of(seen, 2, 2, 1, 2),
			group: "scheduled but available=1/2", clique: "scheduled but ready=1/2", because: "pods_not_ready",
		},
		"Problem": {
			reason: "What Grove says is wrong is told beside the counts.", child: of(seen, 2, 2, 1, 2, problem),
			group: "scheduled but available=1/2", clique: "scheduled but ready=1/2", detail: "its gang was terminated", because: "pods_not_ready",
		},
		"ProblemAlone": {
			reason: "What Grove says is wrong stands alone where the counts are in order.", child: of(seen, 2, 2, 2, 2, problem),
			group: "its gang was terminated", clique: "its gang was terminated", because: "some_resources_are_not_ready",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			counts := Counts{Replicas: tc.child.Replicas, Updated: tc.child.UpdatedReplicas, Scheduled: new(tc.child.ScheduledReplicas)}
			if tc.uncounted {
				counts.Scheduled = nil
			}
			want := func(message string, counts Counts) Object {
				return Object{Counts: counts, Done: message == "", Message: message, Detail: tc.detail, Reason: tc.because}
			}
			group, clique := counts, counts
			group.Available, clique.Ready = new(tc.child.AvailableReplicas), new(tc.child.ReadyReplicas)
			if diff := cmp.Diff(want(tc.group, group), PodCliqueScalingGroup(tc.child)); diff != "" {
				t.Errorf("%s\nPodCliqueScalingGroup(...): -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(want(tc.clique, clique), PodClique(tc.child)); diff != "" {
				t.Errorf("%s\nPodClique(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
