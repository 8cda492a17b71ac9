package status

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

func TestRestart(t *testing.T) {
	planned := func(restart graphplan.Restart) *graphplan.Plan {
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
	var (
		one        = &v1alpha1.Restart{ID: "one"}
		restarting = &v1alpha1.RestartStatus{ObservedID: "one", Phase: "Restarting", InProgress: []string{"Frontend", "Worker"}}
		completed  = &v1alpha1.RestartStatus{ObservedID: "one", Phase: "Completed"}
	)
	inProgress := graphplan.Restart{ID: "one", Phase: "Restarting", InProgress: []string{"Frontend", "Worker"}}
	cases := map[string]struct {
		reason   string
		plan     *graphplan.Plan
		asked    *v1alpha1.Restart
		observed *v1alpha1.RestartStatus
		want     *v1alpha1.RestartStatus
		options  []responseOption
	}{
		"Never": {
			reason: "A graph that was never restarted has no status of a restart.",
			plan:   planOf(),
		},
		"Starts": {
			reason: "A restart that starts is an event, and Crossplane looks again soon.",
			plan:   planned(inProgress), asked: one,
			want: restarting, options: []responseOption{soon(), begins},
		},
		"StartsOver": {
			reason: "A restart in place of another is an event.",
			plan:   planned(inProgress), asked: one, observed: &v1alpha1.RestartStatus{ObservedID: "zero", Phase: "Restarting"},
			want: restarting, options: []responseOption{soon(), begins},
		},
		"GoesOn": {
			reason: "A restart that goes on is no event.",
			plan:   planned(inProgress), asked: one, observed: restarting,
			want: restarting, options: []responseOption{soon()},
		},
		"Completes": {
			reason: "A restart that completes is an event.",
			plan:   planned(graphplan.Restart{ID: "one", Phase: "Completed"}), asked: one, observed: restarting,
			want: completed, options: []responseOption{event("RestartCompleted", `restart "one" is complete`)},
		},
		"Completed": {
			reason: "A restart that has completed is an event only once.",
			plan:   planned(graphplan.Restart{ID: "one", Phase: "Completed"}), asked: one, observed: completed,
			want: completed,
		},
		"NothingToDo": {
			reason: "When nothing was to be done nothing happened.",
			plan:   planned(graphplan.Restart{ID: "one", Phase: "Completed"}), asked: one,
			want: completed,
		},
		"TakenBack": {
			reason: "Of a restart that was taken back half way nothing is said.",
			plan:   planned(graphplan.Restart{Marks: map[string][]graphplan.RestartMark{"Worker": {{At: "one"}}}}), observed: restarting,
		},
		"OlderPlan": {
			reason: "What an older step plan leaves undone must not be made up for after its upgrade.",
			plan:   planOf(), asked: one,
			want: completed,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec := v1alpha1.DynamoGraphDeploymentSpec{Services: map[string]v1alpha1.Service{"Frontend": {}}, Restart: tc.asked}
			req := with(requestFor(spec, tc.plan), "podcliqueset", desiredSet(), readySet())
			before(req, v1alpha1.DynamoGraphDeploymentStatus{Restart: tc.observed})
			rsp := run(t, req)

			var want *structpb.Struct
			if tc.want != nil {
				want = encoded(tc.want)
			}
			got := rsp.GetDesired().GetComposite().GetResource().GetFields()["status"].GetStructValue().GetFields()["restart"].GetStructValue()
			if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
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
