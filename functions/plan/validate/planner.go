package validate

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/autoscaling"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
)

// PlannerWarnings name the workers whose autoscaler overrides the planner of the graph. This is not necessarily an error, because a planner
// may only observe.
func PlannerWarnings(g *graph.Graph, o graphplan.Orchestrator) []string {
	if !g.HasComponent(v1alpha1.ComponentPlanner) {
		return nil
	}
	var warnings []string
	for _, name := range g.ServiceNames() {
		service := g.Spec.Services[name]
		ignored := o != graphplan.Grove && pod.IsMultinode(&service)
		if ignored || !pod.IsWorker(service.ComponentType) || !autoscaling.Enabled(&service) {
			continue
		}
		warnings = append(warnings, fmt.Sprintf("%s: the graph has a planner, which also scales its workers, and the autoscaler would undo its changes; remove autoscaling, or remove the planner",
			field.NewPath("spec", "services").Key(name).Child("autoscaling")))
	}
	return warnings
}
