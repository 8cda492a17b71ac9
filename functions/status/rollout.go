package status

import (
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/health/readiness"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/health/workload"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling/rollout"
)

// awaitScalings makes components wait for their scalings, or for what one of them blocks.
func awaitScalings(waits map[string][]string, components map[string]workload.Workload) {
	for name, messages := range waits {
		w := components[name]
		for _, message := range messages {
			w.Await(message, condition.ReasonUpdating)
		}
		components[name] = w
	}
}

// addScalings adds what components wait for that a PodCliqueSet does not run. Those of a PodCliqueSet are added together with it.
func addScalings(r *readiness.Readiness, p *graphplan.Plan, waits map[string][]string) {
	if p.Orchestrator == graphplan.Grove {
		return
	}
	for name, messages := range waits {
		for _, message := range messages {
			r.AddComponent(name, message, condition.ReasonUpdating)
		}
	}
}

// awaitRollouts makes components wait for the replicas that do not have their new pod template yet. Such replicas can be ready, but do not
// count as updated, whatever their own status says, because it does not know the new template.
func awaitRollouts(req *fnv1.RunFunctionRequest, rollouts map[string]rollout.Rollout, components map[string]workload.Workload) {
	for name, r := range rollouts {
		w := components[name]
		w.Await(r.Message(), condition.ReasonRollingUpdate)
		for _, key := range r.Outdated {
			w.Counts.Updated -= workload.Updated(req.GetObserved().GetResources()[key].GetResource())
		}
		components[name] = w
	}
}

// addRollouts adds what the rollouts wait for. The objects that they have not reached are not ready, because they are not in their desired
// state.
func addRollouts(r *readiness.Readiness, rsp *fnv1.RunFunctionResponse, rollouts map[string]rollout.Rollout) {
	for component, underWay := range rollouts {
		r.AddComponent(component, underWay.Message(), condition.ReasonRollingUpdate)
		for _, key := range underWay.Outdated {
			rsp.GetDesired().GetResources()[key].Ready = fnv1.Ready_READY_FALSE
		}
	}
}
