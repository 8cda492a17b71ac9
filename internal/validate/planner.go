package validate

import (
	"slices"
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// PlannerWarnings name the workers that the planner of the graph cannot scale as intended. This is not necessarily an error, because a
// planner may only observe.
func PlannerWarnings(g *graph.Graph, o graphplan.Orchestrator) message.List {
	if !g.HasComponent(v1beta1.ComponentPlanner) {
		return nil
	}
	warnings, plansOwn := plannedWarnings(g)
	if !plansOwn {
		return warnings
	}
	var together []string
	for _, component := range g.ComponentsByName() {
		// The planner waits until as many replicas run as the graph asks for. After release 1.5, it reads the number of the adapter instead, and checks
		// that the graph owns it, which is the composite resource for a claim.
		// https://github.com/ai-dynamo/dynamo/blob/main/components/src/dynamo/planner/connectors/clients/kubernetes_api.py
		if component.IsWorker() && component.HasScalingAdapter() {
			warnings = append(warnings, message.About(graph.ComponentPath(component.Name, "scalingAdapter"), "the planner of the graph scales the adapter, but up to release 1.5 it then waits for the same number in replicas of the {{component}}, which an adapter does not change; remove scalingAdapter, and the planner scales the graph"))
		}
		if adapter, scaled := component.Adapter(); component.IsWorker() && scaled && adapter.Component() == "" {
			together = append(together, component.Name)
		}
		if component.IsWorker() && component.GPUs() == 0 && claimsDevices(component) && !tellsGPUs(g) {
			warnings = append(warnings, message.About(graph.PodPath(graph.ComponentPath(component.Name), "resourceClaims"), "the planner of the graph reads the GPUs of an engine from limits and requests, and GPUs in claims are not in the status of the graph either, so the planner does not know their number; set prefill_engine_num_gpu and decode_engine_num_gpu in its configuration, or request nvidia.com/gpu instead of claims"))
		}
		ignored := o != graphplan.Grove && component.IsMultinode()
		if ignored || !component.IsWorker() || !component.IsAutoscaled() {
			continue
		}
		warnings = append(warnings, message.About(graph.ComponentPath(component.Name, "autoscaling"), "the graph has a planner, which also scales its workers, and the autoscaler would undo its changes; remove autoscaling, or remove the planner"))
	}
	if len(together) > 0 {
		warnings = append(warnings, message.About(graph.ScaleTogetherPath(), "the planner of the graph scales each worker by itself, which has no effect on %s; remove the annotation, or the planner", strings.Join(together, ", ")))
	}
	return warnings
}

// plannedWarnings name planners that cannot read and scale the graph that they are told to. plansOwn is false if all planners are told
// another one than their own, so that the workers here are nothing to them.
func plannedWarnings(g *graph.Graph) (warnings message.List, plansOwn bool) {
	for _, component := range g.ComponentsByName() {
		if component.Type != v1beta1.ComponentPlanner {
			continue
		}
		planned := pod.PlannedBy(component)
		plansOwn = plansOwn || planned.Graph == g.Name && planned.Namespace == ""
		switch path := graph.ComponentPath(component.Name); {
		case planned.Namespace != "":
			warnings = append(warnings, message.About(path, "variable %s names namespace %s, but a planner reads and scales graphs of its own namespace, and its ServiceAccount has no permission in others; create the planner in a graph of that namespace", pod.EnvParentNamespace, planned.Namespace))
		case planned.Unreadable != "" && component.UserAccount() == "":
			warnings = append(warnings, message.About(path, "the value of variable %s is not in the graph, or is no name, so the ServiceAccount of the planner may read and scale this graph only; set the variable to a name, or run the planner as a ServiceAccount with the permissions that it needs", planned.Unreadable))
		}
	}
	return warnings, plansOwn
}

// claimsDevices reports whether the main container of a component uses a claim of its pod.
// https://github.com/ai-dynamo/dynamo/issues/13465
func claimsDevices(s *graph.Component) bool {
	return len(s.Pod().ResourceClaims) > 0 && len(s.Main().Resources.Claims) > 0
}

// tellsGPUs reports whether the configuration of the planner contains the GPUs of an engine, which it uses where it cannot read them.
func tellsGPUs(g *graph.Graph) bool {
	for _, s := range g.Components {
		main := s.Main()
		text := strings.ReplaceAll(strings.Join(slices.Concat(main.Command, main.Args), " "), "-", "_")
		if s.Type == v1beta1.ComponentPlanner && strings.Contains(text, "engine_num_gpu") {
			return true
		}
	}
	return false
}
