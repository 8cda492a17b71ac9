package plan

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
)

func TestWarnOfPlanner(t *testing.T) {
	const (
		planner = `"Planner":{"componentType":"planner"}`
		scaled  = `"autoscaling":{"enabled":true,"maxReplicas":3}`
		warning = "spec.services[Worker].autoscaling: the graph has a planner, which scales its workers too, and the autoscaler undoes what the planner does: remove the block, or the planner"
	)
	cases := map[string]struct {
		reason       string
		services     string
		orchestrator graphplan.Orchestrator
		want         []string
	}{
		"Both": {
			reason:       "Two that decide about one number contend for it.",
			services:     services(planner, `"Worker":{"componentType":"worker",`+scaled+`}`),
			orchestrator: graphplan.Deployment, want: []string{warning},
		},
		"Prefill": {
			reason:       "Every kind of worker is the planner's.",
			services:     services(planner, `"Worker":{"componentType":"prefill",`+scaled+`}`),
			orchestrator: graphplan.Grove, want: []string{warning},
		},
		"NoPlanner": {
			reason:   "An autoscaler alone decides.",
			services: services(`"Worker":{"componentType":"worker",` + scaled + `}`), orchestrator: graphplan.Grove,
		},
		"Off": {
			reason:   "An autoscaler that is off decides nothing.",
			services: services(planner, `"Worker":{"componentType":"worker","autoscaling":{"maxReplicas":3}}`), orchestrator: graphplan.Grove,
		},
		"Frontend": {
			reason:   "The planner scales workers only.",
			services: services(planner, `"Worker":{"componentType":"frontend",`+scaled+`}`), orchestrator: graphplan.Grove,
		},
		"SeveralNodesOnGrove": {
			reason:       "On Grove a service that spans nodes has an autoscaler as well.",
			services:     services(planner, `"Worker":{"componentType":"worker","multinode":{"nodeCount":2},`+scaled+`}`),
			orchestrator: graphplan.Grove, want: []string{warning},
		},
		"SeveralNodesOffGrove": {
			reason:   "Off Grove it has none, and another warning says so.",
			services: services(planner, `"Worker":{"componentType":"worker","multinode":{"nodeCount":2},`+scaled+`}`), orchestrator: graphplan.LeaderWorkerSet,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g, errs := graph.Decode(request(graphOf(tc.services)))
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			if diff := cmp.Diff(tc.want, warnOfPlanner(g, tc.orchestrator)); diff != "" {
				t.Errorf("%s\nwarnOfPlanner(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestPlannerAndAutoscaler shows that the graph is accepted, and that its user is told.
func TestPlannerAndAutoscaler(t *testing.T) {
	const warning = "spec.services[Worker].autoscaling: the graph has a planner, which scales its workers too, and the autoscaler undoes what the planner does: remove the block, or the planner"
	xr := graphOf(services(
		`"Planner":{"componentType":"planner","extraPodSpec":{"mainContainer":{"image":"registry.example.org/runtime:1","command":["plan"]}}}`,
		`"Worker":{"componentType":"worker","autoscaling":{"enabled":true,"maxReplicas":3},
			"resources":{"requests":{"cpu":"1"}},"extraPodSpec":{"mainContainer":{"image":"registry.example.org/runtime:1","command":["serve"]}}}`,
	))
	rsp := respond(t, withFreeNames(t, request(xr, withGroups())))
	if fatal := fatalsOf(rsp); len(fatal) > 0 {
		t.Errorf("A planner may only observe: want no fatal result, got %v", fatal)
	}
	if got := rsp.GetConditions()[0].GetMessage(); got != warning {
		t.Errorf("Which of the two decides is said: want message %q of condition Accepted, got %q", warning, got)
	}
}
