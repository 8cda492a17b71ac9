package health

import "testing"

func TestPodCliqueSet(t *testing.T) {
	set := func(status string) string {
		return `{"kind":"PodCliqueSet","metadata":{"generation":3},"spec":{"replicas":1},"status":{` + status + `}}`
	}
	const available = `"observedGeneration":3,"availableReplicas":1`
	compare(t, map[string]healthCase{
		"Ready":       {reason: "Seen, updated and available is ready.", observed: set(available), want: Health{Ready: true}},
		"NotSeen":     {reason: "A status that nobody wrote says nothing.", observed: set(`"availableReplicas":1`), want: Health{Message: "Grove has not seen it yet"}},
		"NoStatus":    {reason: "Nor does none.", observed: `{"kind":"PodCliqueSet","spec":{"replicas":1}}`, want: Health{Message: "Grove has not seen it yet"}},
		"OldStatus":   {reason: "A status of the generation before is of another graph.", observed: set(`"observedGeneration":2,"availableReplicas":1`), want: Health{Message: "Grove has not seen its latest change yet"}},
		"Error":       {reason: "Grove's error is told.", observed: set(available + `,"lastErrors":[{"code":"ERR_X","description":"cannot create pods"},{"description":"more"}]`), want: Health{Message: "Grove reports: cannot create pods"}},
		"ErrorCode":   {reason: "Without a description, its code.", observed: set(available + `,"lastErrors":[{"code":"ERR_X"}]`), want: Health{Message: "Grove reports: ERR_X"}},
		"ErrorAlone":  {reason: "Without both, that there is one.", observed: set(available + `,"lastErrors":[{}]`), want: Health{Message: "Grove reports: an error"}},
		"Updating":    {reason: "A rolling update that goes on is not ready.", observed: set(available + `,"updateProgress":{"updateStartedAt":"2026-01-01T00:00:00Z"}`), want: Health{Message: "a rolling update is under way"}},
		"UpdatingOld": {reason: "Also under its name before alpha.7.", observed: set(available + `,"rollingUpdateProgress":{"updateStartedAt":"2026-01-01T00:00:00Z"}`), want: Health{Message: "a rolling update is under way"}},
		"Updated":     {reason: "One that ended is.", observed: set(available + `,"updateProgress":{"updateStartedAt":"2026-01-01T00:00:00Z","updateEndedAt":"2026-01-01T00:01:00Z"}`), want: Health{Ready: true}},
		"Starting":    {reason: "Without its replica it is not.", observed: set(`"observedGeneration":3`), want: Health{Message: "0 of 1 replicas are available"}},
		"Unreadable":  {reason: "What cannot be read is not ready.", observed: set(`"availableReplicas":"one"`), want: Health{Message: "cannot be read: cannot read a required resource: json: cannot unmarshal string into Go struct field PodCliqueSetStatus.status.availableReplicas of type int32"}},
	})
}
