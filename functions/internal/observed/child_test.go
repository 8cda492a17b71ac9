package observed

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
)

// TestUpdates shows what is told of rolling updates, of which Grove has written the status at some time.
func TestUpdates(t *testing.T) {
	const (
		started = `"updateStartedAt":"2026-01-01T00:00:00Z"`
		ended   = started + `,"updateEndedAt":"2026-01-01T00:01:00Z"`
		written = `"managedFields":[{"manager":"grove","subresource":"status","time":"2026-01-01T00:02:00Z"},{"manager":"grove","subresource":"status","time":"2026-01-01T00:03:00Z"},
			{"manager":"grove","subresource":"status"},{"manager":"hpa","subresource":"scale","time":"2026-01-01T00:04:00Z"},{"manager":"grove","time":"2026-01-01T00:05:00Z"}]`
	)
	cases := map[string]struct {
		reason         string
		status, meta   string
		clique, scaled *graphplan.ChildUpdate
	}{
		"None":    {reason: "Most children are not updated."},
		"Ended":   {reason: "An update that has ended is none.", status: `"updateProgress":{` + ended + `}`},
		"Started": {reason: "An update that has begun is under way.", status: `"updateProgress":{` + started + `}`, clique: &graphplan.ChildUpdate{}, scaled: &graphplan.ChildUpdate{}},
		"Before": {
			reason: "Before v0.1.0-alpha.7 the update of a child has another name.", status: `"rollingUpdateProgress":{` + started + `}`,
			clique: &graphplan.ChildUpdate{}, scaled: &graphplan.ChildUpdate{},
		},
		"Selected": {
			reason: "The pods of a PodClique are counted that it has replaced, and the one that it replaces.",
			status: `"updateProgress":{` + started + `,"readyPodsSelectedToUpdate":{"current":"c","completed":["a","b"]}}`,
			clique: &graphplan.ChildUpdate{Selected: 3}, scaled: &graphplan.ChildUpdate{},
		},
		"NoneSelected": {
			reason: "A PodClique that has selected no pod to replace waits for none.",
			status: `"updateProgress":{` + started + `,"readyPodsSelectedToUpdate":{"current":""}}`,
			clique: &graphplan.ChildUpdate{}, scaled: &graphplan.ChildUpdate{},
		},
		"Written": {
			reason: "Only what writes the status of a child tells how old it is.", status: `"updateProgress":{` + started + `}`, meta: "," + written,
			clique: &graphplan.ChildUpdate{Written: "2026-01-01T00:03:00Z"}, scaled: &graphplan.ChildUpdate{Written: "2026-01-01T00:03:00Z"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			object := resource.MustStructJSON(`{"metadata":{"name":"x"` + tc.meta + `},"spec":{"replicas":2},"status":{` + tc.status + `}}`)
			if diff := cmp.Diff(tc.clique, podClique("x", object).Update); diff != "" {
				t.Errorf("%s\nthe update of a PodClique: -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.scaled, podCliqueScalingGroup("x", object).Update); diff != "" {
				t.Errorf("%s\nthe update of a PodCliqueScalingGroup: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
