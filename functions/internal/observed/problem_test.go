package observed

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
)

func TestProblem(t *testing.T) {
	breached := func(status, reason, message string) string {
		return `"conditions":[{"type":"PodCliqueScheduled","status":"False","reason":"X"},{"type":"MinAvailableBreached","status":"` + status + `","reason":"` + reason + `","message":"` + message + `"}]`
	}
	const terminated = `"conditions":[{"type":"MinAvailableBreached","status":"True","reason":"InsufficientAvailablePodCliqueScalingGroupReplicas","message":"expected 2, found 0"},
		{"type":"GangTerminationInProgress","status":"True","reason":"GangTerminationActive","message":"MinAvailable is breached for longer than 15m0s"}]`
	cases := map[string]struct {
		reason string
		// up replicas of the two that are wanted, and what else the status holds.
		up     string
		status string
		meta   string
		// want of the problem, and unscheduled of pods that wait for a place.
		want, unscheduled string
	}{
		"None": {reason: "Most children have no problem.", up: "2", status: breached("False", "SufficientReadyPods", "fine")},
		"Starting": {
			reason: "Pods that start are no problem.", up: "0", status: breached("False", "SufficientReadyPods", "fine"),
		},
		"UpdateInProgress": {
			reason: "Pods that are replaced are no problem.", up: "1", status: breached("Unknown", "UpdateInProgress", "Update is in progress"),
		},
		"NeverScheduled": {
			reason: "Up to alpha.11 a PodClique without any place looks as if all were well.", up: "0",
			status:      breached("False", "InsufficientScheduledPods", "expected at least 2, found 0"),
			unscheduled: "min-available breached (InsufficientScheduledPods): expected at least 2, found 0",
		},
		"NotScheduled": {
			reason: "A PodClique says in a condition of its own that its pods have no place.", up: "0",
			status:      `"conditions":[{"type":"PodCliqueScheduled","status":"False","reason":"InsufficientScheduledPods","message":"expected at least: 2, found: 1"}]`,
			unscheduled: "scheduling condition InsufficientScheduledPods: expected at least: 2, found: 1",
		},
		"NotScheduledAndUp": {
			reason: "A condition that the counts refute is late.", up: "2",
			status: `"conditions":[{"type":"PodCliqueScheduled","status":"False","reason":"InsufficientScheduledPods","message":"expected at least: 2, found: 1"}]`,
		},
		"NeverScheduledGroup": {
			reason: "Up to alpha.11 a PodCliqueScalingGroup without any place looks as if all were well.", up: "0", status: breached("False", "InsufficientScheduledPodCliqueScalingGroupReplicas", "expected 2, found 0"),
			unscheduled: "min-available breached (InsufficientScheduledPodCliqueScalingGroupReplicas): expected 2, found 0",
		},
		"NeverScheduledSinceAlpha12": {
			reason: "Since alpha.12 a PodClique without any place is said to be breached, although it has yet to start.", up: "0",
			status:      breached("True", "ScheduledReplicasBelowMinAvailable", "scheduled replicas (1) below MinAvailable (2)"),
			unscheduled: "min-available breached (ScheduledReplicasBelowMinAvailable): scheduled replicas (1) below MinAvailable (2)",
		},
		"Breached": {
			reason: "Pods that were there and are not any more are a problem.", up: "1", status: breached("True", "InsufficientReadyPods", "expected 2, found 1"),
			want: "too few replicas are available: expected 2, found 1",
		},
		"NoMessage": {
			reason: "Without a message the reason has to do.", up: "1", status: breached("True", "InsufficientReadyPods", ""),
			want: "too few replicas are available: InsufficientReadyPods",
		},
		"BreachedAndUp": {
			reason: "A condition that the counts refute is late.", up: "2", status: breached("True", "InsufficientReadyPods", "expected 2, found 1"),
		},
		"GangTerminated": {
			reason: "The end of a gang says more than what led to it.", up: "0", status: terminated,
			want: "its gang was terminated and is starting again: MinAvailable is breached for longer than 15m0s",
		},
		"GangIsBack": {reason: "The termination of a gang is over when all replicas are up again.", up: "2", status: terminated},
		"Error": {
			reason: "Grove's own errors are told by their descriptions.", up: "2", status: `"lastErrors":[{"code":"ERR_SYNC_PODS","description":"cannot create pods"}]`,
			want: "Grove reports an error: cannot create pods",
		},
		"ErrorCode": {reason: "Grove's own errors are told by their codes where they have no description.", up: "2", status: `"lastErrors":[{"code":"ERR_SYNC_PODS"}]`, want: "Grove reports an error: ERR_SYNC_PODS"},
		"BeingDeleted": {
			reason: "What is on its way out is not up for long.", up: "2", status: `"replicas":2`, meta: `,"deletionTimestamp":"2026-01-01T00:00:00Z"`,
			want: "is being deleted",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			text := `{"metadata":{"name":"x"` + tc.meta + `},"spec":{"replicas":2},"status":{"UP":` + tc.up + `,` + tc.status + `}}`
			for field, digest := range map[string]func(string) graphplan.Child{
				"readyReplicas":     func(text string) graphplan.Child { return podClique("x", resource.MustStructJSON(text)) },
				"availableReplicas": func(text string) graphplan.Child { return podCliqueScalingGroup("x", resource.MustStructJSON(text)) },
			} {
				got := digest(strings.Replace(text, "UP", field, 1))
				if diff := cmp.Diff([]string{tc.want, tc.unscheduled}, []string{got.Problem, got.Unscheduled}); diff != "" {
					t.Errorf("%s\nthe problem of a %s, and where it waits for a place: -want, +got:\n%s", tc.reason, got.Kind, diff)
				}
			}
		})
	}
}
