package plan_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest/whole"
)

// TestPlannerAndAutoscaler shows that the graph is accepted, and that its user is told.
func TestPlannerAndAutoscaler(t *testing.T) {
	const warning = "spec.services[Worker].autoscaling: the graph has a planner, which also scales its workers, and the autoscaler would undo its changes; remove autoscaling, or remove the planner"
	planner := plantest.ServiceOf("planner", "plan")
	planner.ExtraPodSpec.MainContainer.Image = "registry.example.org/runtime:1.2.0"
	xr := plantest.Graph(plantest.Service("Planner", planner), plantest.Service("Worker", plantest.ServiceOf("worker", "serve"), func(s *v1alpha1.Service) {
		s.Autoscaling = &v1alpha1.Autoscaling{Enabled: true, MaxReplicas: 3}
		s.Resources = &v1alpha1.Resources{Requests: &v1alpha1.ResourceList{CPU: new(resource.MustParse("1"))}}
	}))
	rsp := respond(t, whole.WithFreeNames(t, plantest.Request(xr, plantest.WithGroups())))
	if fatal := fatalsOf(rsp); len(fatal) > 0 {
		t.Errorf("A planner may only observe: want no fatal result, got %v", fatal)
	}
	if got := rsp.GetConditions()[0].GetMessage(); got != warning {
		t.Errorf("Which of the two decides is said: want message %q of condition Accepted, got %q", warning, got)
	}
}
