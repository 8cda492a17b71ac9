package status

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
)

func TestRestart(t *testing.T) {
	planned := func(restart graphplan.Restart) string {
		return planOf(func(p *graphplan.Plan) { p.Restart = &restart })
	}
	event := func(reason, message string) responseOption {
		return func(rsp *fnv1.RunFunctionResponse) {
			rsp.Results = append(rsp.Results, &fnv1.Result{
				Severity: fnv1.Severity_SEVERITY_NORMAL, Message: message, Reason: &reason, Target: fnv1.Target_TARGET_COMPOSITE_AND_CLAIM.Enum(),
			})
		}
	}
	begins := event("RestartStarted", `restart "one" starts with Frontend, Worker`)
	const (
		restarting = `{"observedID":"one","phase":"Restarting","inProgress":["Frontend","Worker"]}`
		completed  = `{"observedID":"one","phase":"Completed"}`
	)
	inProgress := graphplan.Restart{ID: "one", Phase: "Restarting", InProgress: []string{"Frontend", "Worker"}}
	cases := map[string]struct {
		reason   string
		plan     string
		asked    string
		observed string
		want     string
		options  []responseOption
	}{
		"Never": {
			reason: "A graph that was never restarted has no status of a restart.",
			plan:   planOf(), asked: `null`, observed: `null`,
		},
		"Starts": {
			reason: "A restart that starts is an event, and Crossplane looks again soon.",
			plan:   planned(inProgress), asked: `{"id":"one"}`, observed: `null`,
			want: restarting, options: []responseOption{soon(), begins},
		},
		"StartsOver": {
			reason: "A restart in place of another is an event.",
			plan:   planned(inProgress), asked: `{"id":"one"}`, observed: `{"observedID":"zero","phase":"Restarting"}`,
			want: restarting, options: []responseOption{soon(), begins},
		},
		"GoesOn": {
			reason: "A restart that goes on is no event.",
			plan:   planned(inProgress), asked: `{"id":"one"}`, observed: restarting,
			want: restarting, options: []responseOption{soon()},
		},
		"Completes": {
			reason: "A restart that completes is an event.",
			plan:   planned(graphplan.Restart{ID: "one", Phase: "Completed"}), asked: `{"id":"one"}`, observed: restarting,
			want: completed, options: []responseOption{event("RestartCompleted", `restart "one" is complete`)},
		},
		"Completed": {
			reason: "A restart that has completed is an event only once.",
			plan:   planned(graphplan.Restart{ID: "one", Phase: "Completed"}), asked: `{"id":"one"}`, observed: completed,
			want: completed,
		},
		"NothingToDo": {
			reason: "When nothing was to be done nothing happened.",
			plan:   planned(graphplan.Restart{ID: "one", Phase: "Completed"}), asked: `{"id":"one"}`, observed: `null`,
			want: completed,
		},
		"TakenBack": {
			reason: "Of a restart that was taken back half way nothing is said.",
			plan:   planned(graphplan.Restart{Marks: map[string][]graphplan.RestartMark{"Worker": {{At: "one"}}}}), asked: `null`, observed: restarting,
		},
		"OlderPlan": {
			reason: "What an older step plan leaves undone must not be made up for after its upgrade.",
			plan:   planOf(), asked: `{"id":"one"}`, observed: `null`,
			want: completed,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := with(request(tc.plan), "podcliqueset", desiredSet, readySet)
			req.Observed.Composite.Resource = resource.MustStructJSON(`{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment",
				"metadata":{"name":"llama","namespace":"inference","generation":3},
				"spec":{"services":{"Frontend":{}},"restart":` + tc.asked + `},"status":{"restart":` + tc.observed + `}}`)
			rsp := run(t, req)

			var want *fnv1.Resource
			if tc.want != "" {
				want = &fnv1.Resource{Resource: resource.MustStructJSON(tc.want)}
			}
			got := rsp.GetDesired().GetComposite().GetResource().GetFields()["status"].GetStructValue().GetFields()["restart"].GetStructValue()
			if diff := cmp.Diff(want.GetResource(), got, protocmp.Transform()); diff != "" {
				t.Errorf("%s\nstatus.restart: -want, +got:\n%s", tc.reason, diff)
			}
			expected := answer(req, tc.options...)
			if diff := cmp.Diff(expected.GetResults(), rsp.GetResults(), protocmp.Transform()); diff != "" {
				t.Errorf("%s\nresults: -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(expected.GetMeta(), rsp.GetMeta(), protocmp.Transform()); diff != "" {
				t.Errorf("%s\nmeta: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
