package validate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/validate"
)

func TestPlannerWarnings(t *testing.T) {
	const (
		planner = `"Planner":{"componentType":"planner"}`
		scaled  = `"autoscaling":{"enabled":true,"maxReplicas":3}`
		warning = "spec.services[Worker].autoscaling: the graph has a planner, which also scales its workers, and the autoscaler would undo its changes; remove autoscaling, or remove the planner"
		adapted = "spec.services[Worker].scalingAdapter: the planner of the graph scales the adapter, but then waits for the same number in replicas of the service, " +
			"where only a controller of scaling adapters copies it; without such a controller, remove scalingAdapter, and the planner scales the graph"
	)
	cases := map[string]struct {
		reason       string
		services     string
		orchestrator graphplan.Orchestrator
		want         []string
	}{
		"Both": {
			reason:       "Two that decide about one number contend for it.",
			services:     plantest.SpecOf(planner, `"Worker":{"componentType":"worker",`+scaled+`}`),
			orchestrator: graphplan.Deployment, want: []string{warning},
		},
		"Prefill": {
			reason:       "Every kind of worker is the planner's.",
			services:     plantest.SpecOf(planner, `"Worker":{"componentType":"prefill",`+scaled+`}`),
			orchestrator: graphplan.Grove, want: []string{warning},
		},
		"NoPlanner": {
			reason:   "An autoscaler alone decides.",
			services: plantest.SpecOf(`"Worker":{"componentType":"worker",` + scaled + `}`), orchestrator: graphplan.Grove,
		},
		"Adapter": {
			reason:   "The planner looks at the number in the graph, which an adapter does not change.",
			services: plantest.SpecOf(planner, `"Worker":{"componentType":"decode","scalingAdapter":{"enabled":true}}`), orchestrator: graphplan.Grove, want: []string{adapted},
		},
		"AdapterOfFrontend": {
			reason:   "The adapter of a service that the planner does not scale is for somebody else.",
			services: plantest.SpecOf(planner, `"Worker":{"componentType":"frontend","scalingAdapter":{"enabled":true}}`), orchestrator: graphplan.Grove,
		},
		"Off": {
			reason:   "An autoscaler that is off decides nothing.",
			services: plantest.SpecOf(planner, `"Worker":{"componentType":"worker","autoscaling":{"maxReplicas":3}}`), orchestrator: graphplan.Grove,
		},
		"Frontend": {
			reason:   "The planner scales workers only.",
			services: plantest.SpecOf(planner, `"Worker":{"componentType":"frontend",`+scaled+`}`), orchestrator: graphplan.Grove,
		},
		"SeveralNodesOnGrove": {
			reason:       "On Grove a service that spans nodes has an autoscaler as well.",
			services:     plantest.SpecOf(planner, `"Worker":{"componentType":"worker","multinode":{"nodeCount":2},`+scaled+`}`),
			orchestrator: graphplan.Grove, want: []string{warning},
		},
		"SeveralNodesOffGrove": {
			reason:   "Off Grove, a service that spans nodes has no autoscaler, and another warning says so.",
			services: plantest.SpecOf(planner, `"Worker":{"componentType":"worker","multinode":{"nodeCount":2},`+scaled+`}`), orchestrator: graphplan.LeaderWorkerSet,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g, errs := graph.Decode(plantest.Request(plantest.GraphOf(tc.services)))
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			if diff := cmp.Diff(tc.want, validate.PlannerWarnings(g, tc.orchestrator)); diff != "" {
				t.Errorf("%s\nvalidate.PlannerWarnings(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
