package observed

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

func TestProblem(t *testing.T) {
	notScheduled := metav1.Condition{Type: "PodCliqueScheduled", Status: "False", Reason: "InsufficientScheduledPods", Message: "expected at least: 2, found: 1"}
	breached := func(status metav1.ConditionStatus, reason, message string) []metav1.Condition {
		return []metav1.Condition{
			{Type: "PodCliqueScheduled", Status: "False", Reason: "X"},
			{Type: "MinAvailableBreached", Status: status, Reason: reason, Message: message},
		}
	}
	terminated := []metav1.Condition{
		{Type: "MinAvailableBreached", Status: "True", Reason: "InsufficientAvailablePodCliqueScalingGroupReplicas", Message: "expected 2, found 0"},
		{Type: "GangTerminationInProgress", Status: "True", Reason: "GangTerminationActive", Message: "MinAvailable is breached for longer than 15m0s"},
	}
	cases := map[string]struct {
		reason string
		status childStatus
		// deleted says since when the child is being deleted.
		deleted *metav1.Time
		// want of the problem, and unscheduled of pods that wait for a place.
		want, unscheduled string
	}{
		"None": {reason: "Most children have no problem.", status: childStatus{up: 2, conditions: breached("False", "SufficientReadyPods", "fine")}},
		"Starting": {
			reason: "Pods that start are no problem.", status: childStatus{conditions: breached("False", "SufficientReadyPods", "fine")},
		},
		"UpdateInProgress": {
			reason: "Pods that are replaced are no problem.", status: childStatus{up: 1, conditions: breached("Unknown", "UpdateInProgress", "Update is in progress")},
		},
		"NeverScheduled": {
			reason: "Up to alpha.11 a PodClique without any place looks as if all were well.", status: childStatus{conditions: breached("False", "InsufficientScheduledPods", "expected at least 2, found 0")},
			unscheduled: "min-available breached (InsufficientScheduledPods): expected at least 2, found 0",
		},
		"NotScheduled": {
			reason: "A PodClique says in a condition of its own that its pods have no place.", status: childStatus{conditions: []metav1.Condition{notScheduled}},
			unscheduled: "scheduling condition InsufficientScheduledPods: expected at least: 2, found: 1",
		},
		"NotScheduledAndUp": {
			reason: "A condition that the counts refute is late.", status: childStatus{up: 2, conditions: []metav1.Condition{notScheduled}},
		},
		"NeverScheduledGroup": {
			reason: "Up to alpha.11 a PodCliqueScalingGroup without any place looks as if all were well.", status: childStatus{conditions: breached("False", "InsufficientScheduledPodCliqueScalingGroupReplicas", "expected 2, found 0")},
			unscheduled: "min-available breached (InsufficientScheduledPodCliqueScalingGroupReplicas): expected 2, found 0",
		},
		"NeverScheduledSinceAlpha12": {
			reason: "Since alpha.12 a PodClique without any place is said to be breached, although it has yet to start.", status: childStatus{conditions: breached("True", "ScheduledReplicasBelowMinAvailable", "scheduled replicas (1) below MinAvailable (2)")},
			unscheduled: "min-available breached (ScheduledReplicasBelowMinAvailable): scheduled replicas (1) below MinAvailable (2)",
		},
		"Breached": {
			reason: "Pods that were there and are not any more are a problem.", status: childStatus{up: 1, conditions: breached("True", "InsufficientReadyPods", "expected 2, found 1")},
			want: "too few replicas are available: expected 2, found 1",
		},
		"NoMessage": {
			reason: "Without a message the reason has to do.", status: childStatus{up: 1, conditions: breached("True", "InsufficientReadyPods", "")},
			want: "too few replicas are available: InsufficientReadyPods",
		},
		"BreachedAndUp": {
			reason: "A condition that the counts refute is late.", status: childStatus{up: 2, conditions: breached("True", "InsufficientReadyPods", "expected 2, found 1")},
		},
		"GangTerminated": {
			reason: "The end of a gang says more than what led to it.", status: childStatus{conditions: terminated},
			want: "its gang was terminated and is starting again: MinAvailable is breached for longer than 15m0s",
		},
		"GangIsBack": {reason: "The termination of a gang is over when all replicas are up again.", status: childStatus{up: 2, conditions: terminated}},
		"Error": {
			reason: "Grove's own errors are told by their descriptions.", status: childStatus{up: 1, errors: []grovev1alpha1.LastError{{Code: "ERR_SYNC_PODS", Description: "cannot create pods"}}},
			want: "Grove reports an error: cannot create pods",
		},
		"ErrorOfPods": {
			reason: "The refusal of a pod is told in the words of the API server, without what differs between two attempts, which would write the status of the graph.",
			status: childStatus{up: 1, errors: []grovev1alpha1.LastError{{Code: "ERR_CREATE_POD", Description: "failed to sync Pod: [Operation: Sync, Code: ERR_CREATE_POD] message: failed to create Pod:  " +
				`for PodClique b/a-0-worker, cause: pods "a-0-worker-x2k4p" is forbidden: exceeded quota: gpus, requested: pods=1, used: pods=3, limited: pods=3`}}},
			want: "pods cannot be created: exceeded quota: gpus, requested: pods=1, limited: pods=3",
		},
		"ErrorCode": {reason: "Grove's own errors are told by their codes where they have no description.", status: childStatus{up: 1, observed: new(int64), errors: []grovev1alpha1.LastError{{Code: "ERR_SYNC_PODS"}}}, want: "Grove reports an error: ERR_SYNC_PODS"},
		"ErrorOfChange": {
			reason: "An error tells why a change is not observed, although all replicas are up.", status: childStatus{up: 2, errors: []grovev1alpha1.LastError{{Code: "ERR_SYNC_PODS"}}},
			want: "Grove reports an error: ERR_SYNC_PODS",
		},
		"ErrorOver": {
			reason: "Grove does not take an error back when it succeeds.", status: childStatus{up: 2, observed: new(int64), errors: []grovev1alpha1.LastError{{Code: "ERR_SYNC_PODS"}}},
		},
		"BeingDeleted": {
			reason: "What is on its way out is not up for long.", status: childStatus{up: 2}, deleted: minute(0),
			want: "is being deleted",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			clique, group := childrenOf(metav1.ObjectMeta{DeletionTimestamp: tc.deleted}, tc.status)
			for _, got := range []graphplan.Child{clique, group} {
				if diff := cmp.Diff([]string{tc.want, tc.unscheduled}, []string{got.Problem, got.Unscheduled}); diff != "" {
					t.Errorf("%s\nthe problem of a %s, and why its pods are not scheduled: -want, +got:\n%s", tc.reason, got.Kind, diff)
				}
			}
		})
	}
}
