package workload

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPodCliqueSetOf(t *testing.T) {
	set := func(status string) string {
		return `{"kind":"PodCliqueSet","metadata":{"generation":3},"spec":{"replicas":1},"status":{` + status + `}}`
	}
	const available = `"observedGeneration":3,"availableReplicas":1`
	cases := map[string]struct {
		reason   string
		observed string
		want     PodCliqueSet
	}{
		"Ready":        {reason: "A PodCliqueSet that is seen, updated and available is available.", observed: set(available), want: PodCliqueSet{Settled: true, Available: true}},
		"NotCreated":   {reason: "A PodCliqueSet that does not exist is not available.", want: PodCliqueSet{Message: "not created yet"}},
		"NotSeen":      {reason: "A status that nobody wrote says nothing.", observed: set(`"availableReplicas":1`), want: PodCliqueSet{Message: "Grove has not observed it yet"}},
		"NoStatus":     {reason: "A PodCliqueSet without a status has not been seen.", observed: `{"kind":"PodCliqueSet","spec":{"replicas":1}}`, want: PodCliqueSet{Message: "Grove has not observed it yet"}},
		"OldStatus":    {reason: "A status of the generation before is of another graph.", observed: set(`"observedGeneration":2,"availableReplicas":1`), want: PodCliqueSet{Message: "Grove has not observed its latest change yet"}},
		"BeingDeleted": {reason: "What is on its way out does no work for long.", observed: `{"metadata":{"generation":3,"deletionTimestamp":"2026-01-01T00:00:00Z"},"spec":{"replicas":1},"status":{` + available + `}}`, want: PodCliqueSet{Message: "is being deleted"}},
		"Error":        {reason: "Grove's error is told.", observed: set(available + `,"lastErrors":[{"code":"ERR_X","description":"cannot create pods"},{"description":"more"}]`), want: PodCliqueSet{Message: "Grove reports an error: cannot create pods"}},
		"ErrorCode":    {reason: "Grove's error without a description is told by its code.", observed: set(available + `,"lastErrors":[{"code":"ERR_X"}]`), want: PodCliqueSet{Message: "Grove reports an error: ERR_X"}},
		"ErrorAlone":   {reason: "Grove's error without description and code is told as an error.", observed: set(available + `,"lastErrors":[{}]`), want: PodCliqueSet{Message: "Grove reports an error: unknown"}},
		"Updating":     {reason: "A rolling update that goes on has not settled.", observed: set(available + `,"updateProgress":{"updateStartedAt":"2026-01-01T00:00:00Z"}`), want: PodCliqueSet{Message: "a rolling update is in progress", Reason: "updating"}},
		"UpdatingOld":  {reason: "A rolling update that goes on has not settled, also under its name before alpha.7.", observed: set(available + `,"rollingUpdateProgress":{"updateStartedAt":"2026-01-01T00:00:00Z"}`), want: PodCliqueSet{Message: "a rolling update is in progress", Reason: "updating"}},
		"Updated":      {reason: "A rolling update that has ended has settled.", observed: set(available + `,"updateProgress":{"updateStartedAt":"2026-01-01T00:00:00Z","updateEndedAt":"2026-01-01T00:01:00Z"}`), want: PodCliqueSet{Settled: true, Available: true}},
		"Starting":     {reason: "A PodCliqueSet without its replica is not available.", observed: set(`"observedGeneration":3`), want: PodCliqueSet{Settled: true, Message: "0 of 1 replicas are available"}},
		"Unreadable":   {reason: "A PodCliqueSet that cannot be read is not available.", observed: set(`"availableReplicas":"one"`), want: PodCliqueSet{Message: "cannot be read: cannot read PodCliqueSet: status.availableReplicas: Invalid value: must be a whole number, not a string"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, PodCliqueSetOf(object(tc.observed))); diff != "" {
				t.Errorf("%s\nPodCliqueSetOf(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestRolls(t *testing.T) {
	const (
		started = `"updateStartedAt":"2026-01-01T00:00:00Z"`
		ended   = `"updateEndedAt":"2026-01-01T00:01:00Z"`
	)
	cases := map[string]struct {
		reason     string
		generation string
		status     string
		want       bool
	}{
		"Seen":       {reason: "What Grove has carried out replaces no pods.", generation: "3", status: `"observedGeneration":3`},
		"NotSeen":    {reason: "Nobody knows what a change will replace that Grove has not seen.", generation: "3", status: `"observedGeneration":2`, want: true},
		"NeverSeen":  {reason: "Nobody knows what a change will replace of a set that Grove has never seen.", generation: "3", want: true},
		"Preview":    {reason: "An object of a preview that no server has written has no change to see.", generation: "0"},
		"Started":    {reason: "An update that has begun replaces pods.", generation: "3", status: `"observedGeneration":3,"updateProgress":{` + started + `}`, want: true},
		"StartedOld": {reason: "An update that has begun replaces pods under its former name as well.", generation: "3", status: `"observedGeneration":3,"rollingUpdateProgress":{` + started + `}`, want: true},
		"Ended":      {reason: "An update that has ended replaces no pods.", generation: "3", status: `"observedGeneration":3,"updateProgress":{` + started + `,` + ended + `}`},
		"Unreadable": {reason: "A PodCliqueSet that cannot be read may replace pods.", generation: `"three"`, want: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			observed := object(`{"kind":"PodCliqueSet","metadata":{"generation":` + tc.generation + `},"spec":{"replicas":1},"status":{` + tc.status + `}}`)
			if got := Rolls(observed); got != tc.want {
				t.Errorf("%s\nRolls(...): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}
