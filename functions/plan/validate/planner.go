package validate

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/autoscaling"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
)

// PlannerWarnings name the workers that the planner of the graph cannot scale as intended. This is not necessarily an error, because a
// planner may only observe.
func PlannerWarnings(g *graph.Graph, o graphplan.Orchestrator) []string {
	if !g.HasComponent(v1alpha1.ComponentPlanner) {
		return nil
	}
	var warnings []string
	for _, name := range g.ServiceNames() {
		service := g.Spec.Services[name]
		// The planner waits until as many replicas run as the graph asks for, and only a controller can copy the number there.
		// https://github.com/ai-dynamo/dynamo/blob/main/components/src/dynamo/planner/connectors/clients/kubernetes_api.py
		if pod.IsWorker(service.ComponentType) && autoscaling.AdapterEnabled(&service) {
			warnings = append(warnings, fmt.Sprintf("{{%s}}: the planner of the graph scales the adapter, but then waits for the same number in replicas of the {{service}}, where only a controller of scaling adapters copies it; without such a controller, remove scalingAdapter, and the planner scales the graph",
				field.NewPath("spec", "services").Key(name).Child("scalingAdapter")))
		}
		if pod.IsWorker(service.ComponentType) && pod.GPUs(&service) == 0 && claimsDevices(&service) && !tellsGPUs(g) {
			warnings = append(warnings, fmt.Sprintf("{{%s}}: the planner of the graph reads the GPUs of an engine from limits and requests, and those in claims are not in the status of the graph either, so it does not know how many there are; set prefill_engine_num_gpu and decode_engine_num_gpu in its configuration, or request nvidia.com/gpu instead of claims",
				field.NewPath("spec", "services").Key(name).Child("extraPodSpec", "resourceClaims")))
		}
		ignored := o != graphplan.Grove && pod.IsMultinode(&service)
		if ignored || !pod.IsWorker(service.ComponentType) || !autoscaling.Enabled(&service) {
			continue
		}
		warnings = append(warnings, fmt.Sprintf("{{%s}}: the graph has a planner, which also scales its workers, and the autoscaler would undo its changes; remove autoscaling, or remove the planner",
			field.NewPath("spec", "services").Key(name).Child("autoscaling")))
	}
	return warnings
}

// claimsDevices reports whether the main container of a service uses a claim of its pod.
// https://github.com/ai-dynamo/dynamo/issues/13465
func claimsDevices(s *v1alpha1.Service) bool {
	return s.ExtraPodSpec != nil && len(s.ExtraPodSpec.ResourceClaims) > 0 &&
		(len(pod.UserContainer(s).Resources.Claims) > 0 || s.Resources != nil && len(s.Resources.Claims) > 0)
}

// tellsGPUs reports whether the configuration of the planner contains the GPUs of an engine, which it uses where it cannot read them.
func tellsGPUs(g *graph.Graph) bool {
	for _, s := range g.Spec.Services {
		main := pod.UserContainer(&s)
		text := strings.ReplaceAll(strings.Join(slices.Concat(main.Command, main.Args), " "), "-", "_")
		if s.ComponentType == v1alpha1.ComponentPlanner && strings.Contains(text, "engine_num_gpu") {
			return true
		}
	}
	return false
}
