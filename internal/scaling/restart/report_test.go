package restart

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// TestReport shows what is said of a restart, in the status and by events.
func TestReport(t *testing.T) {
	const begins = `RestartStarted: restart "one" starts with Frontend, Worker`
	var (
		restarting = &v1alpha1.RestartStatus{ObservedID: "one", Phase: "Restarting", InProgress: []string{"Frontend", "Worker"}}
		completed  = &v1alpha1.RestartStatus{ObservedID: "one", Phase: "Completed"}
		inProgress = graphplan.Restart{ID: "one", Phase: "Restarting", InProgress: []string{"Frontend", "Worker"}}
	)
	cases := map[string]struct {
		reason   string
		plan     *graphplan.Restart
		observed *v1alpha1.RestartStatus
		want     *v1alpha1.RestartStatus
		events   []string
	}{
		"Never": {
			reason: "A graph that was never restarted has no status of a restart.",
		},
		"Starts": {
			reason: "A restart that starts is an event.",
			plan:   &inProgress,
			want:   restarting, events: []string{begins},
		},
		"StartsOver": {
			reason: "A restart in place of another is an event.",
			plan:   &inProgress, observed: &v1alpha1.RestartStatus{ObservedID: "zero", Phase: "Restarting"},
			want: restarting, events: []string{begins},
		},
		"GoesOn": {
			reason: "A restart that goes on is no event.",
			plan:   &inProgress, observed: restarting,
			want: restarting,
		},
		"Completes": {
			reason: "A restart that completes is an event.",
			plan:   &graphplan.Restart{ID: "one", Phase: "Completed"}, observed: restarting,
			want: completed, events: []string{`RestartCompleted: restart "one" is complete`},
		},
		"Completed": {
			reason: "A restart that has completed is an event only once.",
			plan:   &graphplan.Restart{ID: "one", Phase: "Completed"}, observed: completed,
			want: completed,
		},
		"NothingToDo": {
			reason: "When nothing was to be done nothing happened.",
			plan:   &graphplan.Restart{ID: "one", Phase: "Completed"},
			want:   completed,
		},
		"TakenBack": {
			reason: "Of a restart that was taken back half way nothing is said.",
			plan:   &graphplan.Restart{Marks: map[string][]graphplan.RestartMark{"Worker": {{At: "one"}}}}, observed: restarting,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p := &graphplan.Plan{Restart: tc.plan}
			if diff := cmp.Diff(tc.want, Status(p)); diff != "" {
				t.Errorf("%s\nStatus(...): -want, +got:\n%s", tc.reason, diff)
			}
			composite := &v1alpha1.DynamoGraphDeployment{Status: v1alpha1.DynamoGraphDeploymentStatus{Restart: tc.observed}}
			req := &fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: steptest.Struct(composite)}}}
			rsp := &fnv1.RunFunctionResponse{}
			Report(req, rsp, p)
			var events []string
			for _, r := range rsp.GetResults() {
				events = append(events, r.GetReason()+": "+r.GetMessage())
			}
			if diff := cmp.Diff(tc.events, events); diff != "" {
				t.Errorf("%s\nReport(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
