package plan

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
)

// TestPlannerAndAutoscaler shows that the graph is accepted, and that its user is told.
func TestPlannerAndAutoscaler(t *testing.T) {
	const warning = "spec.services[Worker].autoscaling: the graph has a planner, which also scales its workers, and the autoscaler would undo its changes; remove autoscaling, or remove the planner"
	xr := plantest.GraphOf(plantest.SpecOf(
		`"Planner":{"componentType":"planner","extraPodSpec":{"mainContainer":{"image":"registry.example.org/runtime:1.2.0","command":["plan"]}}}`,
		`"Worker":{"componentType":"worker","autoscaling":{"enabled":true,"maxReplicas":3},
			"resources":{"requests":{"cpu":"1"}},"extraPodSpec":{"mainContainer":{"image":"registry.example.org/runtime:1.5.0","command":["serve"]}}}`,
	))
	rsp := respond(t, withFreeNames(t, plantest.Request(xr, plantest.WithGroups())))
	if fatal := fatalsOf(rsp); len(fatal) > 0 {
		t.Errorf("A planner may only observe: want no fatal result, got %v", fatal)
	}
	if got := rsp.GetConditions()[0].GetMessage(); got != warning {
		t.Errorf("Which of the two decides is said: want message %q of condition Accepted, got %q", warning, got)
	}
}
