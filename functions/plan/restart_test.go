package plan

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/restart"
)

// TestPlanRestart shows what is read from the observed objects. What follows from it is in TestRestart.
func TestPlanRestart(t *testing.T) {
	const (
		set = `{"kind":"LeaderWorkerSet","metadata":{"generation":3,"annotations":{SINCE}},"spec":{"leaderWorkerTemplate":{"workerTemplate":{"metadata":{"annotations":{AT}}}}},
			"status":{GENERATION"replicas":1,"updatedReplicas":1,"readyReplicas":1,"conditions":[{"type":"Other"},{"type":"Available","status":"True","lastTransitionTime":"2026-01-01T09:00:00Z"}]}}`
		clique = `{"kind":"PodClique","metadata":{"name":"llama-0-worker","namespace":"inference","generation":1},"spec":{"replicas":1},
			"status":{"observedGeneration":1,"replicas":1,"updatedReplicas":1,"readyReplicas":1}}`
		status = `{"services":{"Worker":{}},"restart":{"observedID":"one","phase":"Restarting","inProgress":["Worker"]}}`
	)
	lws := func(since, at, generation string) plantest.RequestOption {
		return plantest.WithObserved("leaderworkerset-worker-0", strings.NewReplacer("SINCE", since, "AT", at, "GENERATION", generation).Replace(set))
	}
	deployment := func(annotations, status string) plantest.RequestOption {
		return plantest.WithObserved("deployment-worker", `{"kind":"Deployment","metadata":{"generation":1},"spec":{"template":{"metadata":{"annotations":{`+annotations+`}}}},"status":{`+status+`}}`)
	}
	grove := func(generation string) plantest.RequestOption {
		return plantest.WithObserved("podcliqueset", `{"kind":"PodCliqueSet","metadata":{"generation":2},"spec":{"replicas":1,"template":{"cliques":[
			{"name":"other","annotations":{"nvidia.com/restartAt":"other"}},{"name":"worker","annotations":{"nvidia.com/restartAt":"one"}}]}},
			"status":{"observedGeneration":`+generation+`,"availableReplicas":1}}`)
	}
	const (
		at       = `"nvidia.com/restartAt":"one"`
		since    = `"dynamo.nvidia.com/available-since-before-restart":"2026-01-01T09:00:00Z"`
		earlier  = `"dynamo.nvidia.com/available-since-before-restart":"2026-01-01T08:00:00Z"`
		rolled   = `"observedGeneration":1,"replicas":1,"updatedReplicas":1,"availableReplicas":1,"conditions":[{"type":"Available","status":"True"}]`
		single   = `"Worker":{"replicas":1}`
		many     = `"Worker":{"replicas":1,"multinode":{"nodeCount":2}}`
		inFlight = "Restarting"
		done     = "Completed"
	)
	one := map[string][]graphplan.RestartMark{"Worker": {{At: "one"}}}
	cases := map[string]struct {
		reason       string
		orchestrator graphplan.Orchestrator
		service      string
		options      []plantest.RequestOption
		phase        string
		marks        map[string][]graphplan.RestartMark
	}{
		"DeploymentRolled":  {reason: "A Deployment that is ready with the mark is done.", orchestrator: graphplan.Deployment, service: single, options: []plantest.RequestOption{deployment(at, rolled)}, phase: done, marks: one},
		"DeploymentRolling": {reason: "A Deployment whose controller has not seen the mark is not done.", orchestrator: graphplan.Deployment, service: single, options: []plantest.RequestOption{deployment(at, ``)}, phase: inFlight, marks: one},
		"DeploymentBefore":  {reason: "A Deployment without the mark gets it.", orchestrator: graphplan.Deployment, service: single, options: []plantest.RequestOption{deployment(``, rolled)}, phase: inFlight, marks: one},
		"NoReplicas":        {reason: "A Deployment without pods is done, whatever its status.", orchestrator: graphplan.Deployment, service: `"Worker":{"replicas":0}`, options: []plantest.RequestOption{deployment(at, ``)}, phase: done, marks: one},
		"OwnAnnotation": {
			reason:       "Pods with an annotation of the user's own are left alone.",
			orchestrator: graphplan.Deployment, service: `"Worker":{"annotations":{"nvidia.com/restartAt":"mine"}}`, options: []plantest.RequestOption{deployment(`"nvidia.com/restartAt":"mine"`, rolled)}, phase: done,
		},
		"Set":       {reason: "A status that tells its generation is believed.", orchestrator: graphplan.LeaderWorkerSet, service: many, options: []plantest.RequestOption{lws(``, at, `"observedGeneration":3,`)}, phase: done, marks: one},
		"SetBehind": {reason: "A status of an earlier generation is not believed.", orchestrator: graphplan.LeaderWorkerSet, service: many, options: []plantest.RequestOption{lws(``, at, `"observedGeneration":2,`)}, phase: inFlight, marks: one},
		"SetUnmarked": {
			reason:       "A set without the mark gets it.",
			orchestrator: graphplan.LeaderWorkerSet, service: many, options: []plantest.RequestOption{lws(earlier, ``, ``)},
			phase: inFlight, marks: one,
		},
		"SetAsBefore": {
			reason:       "While a set reports the same availability as before the restart, its status is of the old pods.",
			orchestrator: graphplan.LeaderWorkerSet, service: many, options: []plantest.RequestOption{lws(since, at, ``)},
			phase: inFlight, marks: one,
		},
		"SetAnew": {
			reason:       "When a set has become available again, its status is of the new pods.",
			orchestrator: graphplan.LeaderWorkerSet, service: many, options: []plantest.RequestOption{lws(earlier, at, ``)},
			phase: done, marks: one,
		},
		"SetUpgraded": {
			reason:       "When LWS was upgraded during the restart, the generation that a set observed decides.",
			orchestrator: graphplan.LeaderWorkerSet, service: many, options: []plantest.RequestOption{lws(since, at, `"observedGeneration":3,`)},
			phase: done, marks: one,
		},
		"Clique":       {reason: "A clique that is ready is done when Grove has seen the mark.", orchestrator: graphplan.Grove, service: single, options: []plantest.RequestOption{grove("2"), plantest.WithChildren([]string{clique}, nil)}, phase: done, marks: one},
		"CliqueUnseen": {reason: "Before Grove has seen the mark, the status of a clique is of the old pods.", orchestrator: graphplan.Grove, service: single, options: []plantest.RequestOption{grove("1"), plantest.WithChildren([]string{clique}, nil)}, phase: inFlight, marks: one},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec := `{"restart":{"id":"one"},"services":{` + tc.service + `}}`
			options := append([]plantest.RequestOption{plantest.WithGroups("grove")}, tc.options...)
			f := plantest.Facts(t, plantest.Request(plantest.WithStatus(plantest.GraphOf(spec), status), options...))
			p := &graphplan.Plan{Orchestrator: tc.orchestrator}
			p.Children = findChildren(f)

			want := &graphplan.Restart{ID: "one", Phase: tc.phase, Marks: tc.marks}
			if tc.phase == inFlight {
				want.InProgress = []string{"Worker"}
			}
			if diff := cmp.Diff(want, restart.Decide(f, p)); diff != "" {
				t.Errorf("%s\nDecide(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
