package status

import (
	"strconv"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/health/workload"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
)

// addForPlanners adds to the status of a component what planners read of its pods (release 1.5,
// components/src/dynamo/planner/connectors/kubernetes.py). The GPUs are those of the latest pod template, because a planner only uses them if
// the status is that of the latest generation. The names are those with which the pods that serve have registered.
func addForPlanners(call *step.Call, name string, w workload.Workload, service *v1alpha1.ServiceStatus) {
	templates := desiredTemplates(call, name)
	if len(templates) > 0 {
		shape := pod.GPUShapeOf(call.Graph.Component(name), templates, call.Plan.Claims)
		service.GPUsPerEngine, service.GPUsPerReplica = shape.PerEngine, shape.PerReplica
	}
	if t := servingOf(templates); t != nil {
		service.GPUPowerLimitWatts = powerLimit(t.Annotations)
	}
	names := reportedNames(call, name, w, namesOf(call, servingOf(templates)))
	service.ServedModelName, service.RuntimeComponentName = names.model, names.component
}

// desiredTemplates of all pods of a replica of a component. Without replicas there may be no object that has them. Empty if no pods are
// composed.
func desiredTemplates(call *step.Call, name string) []pod.GroupTemplate {
	component := call.Graph.Component(name)
	if call.Plan.Orchestrator == graphplan.LeaderWorkerSet && component.IsMultinode() && component.Sets() == 0 {
		return pod.AsWritten(component)
	}
	var all []pod.GroupTemplate
	for _, t := range templatesOf(call.Response.GetDesired().GetResources(), call.Graph, call.Plan, name) {
		if t.spec == nil {
			return nil
		}
		all = append(all, t.decode())
	}
	return all
}

// servingOf the templates of a component is that of the pods that serve requests. nil if there is none.
func servingOf(templates []pod.GroupTemplate) *pod.GroupTemplate {
	for i := range templates {
		if templates[i].Nodes > 0 {
			return &templates[i]
		}
	}
	return nil
}

// powerLimit of each GPU of pods with these annotations, in watts. nil if they have none.
func powerLimit(annotations map[string]string) *int32 {
	watts, err := strconv.ParseInt(annotations[metadata.AnnotationGPUPowerLimit], 10, 32)
	if err != nil || watts < 1 {
		return nil
	}
	return new(int32(watts))
}

// registered are the names with which the pods of a component register, as far as their command says.
type registered struct{ model, component string }

// namesOf the pods that serve requests.
func namesOf(call *step.Call, t *pod.GroupTemplate) registered {
	if t == nil {
		return registered{}
	}
	var names registered
	if main := pod.MainOfPod(t.Spec); main != nil {
		names.model = call.Graph.CommandLines.ServedModelName(main)
	}
	if runtime := pod.RuntimeOfPod(t.Spec); runtime != nil {
		names.component = call.Graph.CommandLines.RuntimeComponentName(runtime)
	}
	return names
}

// reportedNames of the pods of a component, given those of its latest pod template. As for the namespace, these are the names before until all
// pods are replaced, also if the pods before have none.
func reportedNames(call *step.Call, name string, w workload.Workload, next registered) registered {
	status := observed.StatusOf(call.Request)
	before := registered{model: status.TextOf(name, "servedModelName"), component: status.TextOf(name, "runtimeComponentName")}
	if before == next || !status.Reports(name) {
		return next
	}
	live, runs := serving(templatesOf(call.Request.GetObserved().GetResources(), call.Graph, call.Plan, name))
	switch {
	case !runs && (w.Ready || before == registered{}):
		// No pods have other names.
		return next
	case !runs:
		// The objects that run the component may only be lost for now.
		return before
	}
	template := live.decode()
	now := namesOf(call, &template)
	return registered{
		model:     untilReplaced(before.model, now.model, next.model, w.Ready),
		component: untilReplaced(before.component, now.component, next.component, w.Ready),
	}
}

// untilReplaced is a value of the pods that serve: the reported one, until all pods have that of the latest pod template. now is the value of
// the pods that exist or are being created.
func untilReplaced(reported, now, next string, ready bool) string {
	if ready && now == next {
		return next
	}
	return reported
}
