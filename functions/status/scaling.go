package status

import (
	"fmt"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/health/workload"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling/autoscaling"
)

// awaitScaling makes services wait for the replicas that the graph requests and that the children of Grove do not have yet. Running
// replicas are ready meanwhile, but are not what was requested. Only a scaling by step grove is waited for: the step then composes a
// helper, or keeps a different number in the PodCliqueSet, or gives it the number of the child. After that last change, Grove has not
// processed the PodCliqueSet yet, and the graph would be ready for a moment. Scaling by others is ignored.
func awaitScaling(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, g *graph.Graph, p *graphplan.Plan, services map[string]workload.Workload) {
	desired := rsp.GetDesired().GetResources()
	composed, ok := desired[string(names.KeyPodCliqueSet)]
	if p.Orchestrator != graphplan.Grove || !ok {
		return
	}
	inSet := observed.ReplicasIn(composed.GetResource())
	set := req.GetObserved().GetResources()[string(names.KeyPodCliqueSet)].GetResource()
	before, deferred := observed.ReplicasIn(set), observed.RollsCoherently(set)
	for name, w := range services {
		service := g.Component(name)
		if service.IsAutoscaled() {
			continue
		}
		wanted := service.Replicas()
		helper, helped := desired[string(names.KeyReplicas(name))]
		if number, temporary := autoscaling.Before(helper.GetResource()); temporary {
			wanted = number
		}
		number, inTemplate := inSet[names.Clique(name)]
		child, known := p.Children[name]
		earlier, there := before[names.Clique(name)]
		switch {
		case !helped && (!inTemplate || number == wanted), known && child.SpecReplicas == wanted:
			if !there || !inTemplate || earlier == number || number != wanted {
				continue
			}
			number = earlier
		case known:
			number = child.SpecReplicas
		}
		message := scales(number, wanted)
		if deferred {
			message += " when Grove's update is complete: it scales nothing during an update with strategy " + grovev1alpha1.UpdateCoherent
		}
		w.Await(message, condition.ReasonUpdating)
		services[name] = w
	}
}

// awaitScaleIns makes services wait for what their scale-ins wait for, or for what one of them blocks.
func awaitScaleIns(waits map[string]string, services map[string]workload.Workload) {
	for name, message := range waits {
		w := services[name]
		w.Await(message, condition.ReasonUpdating)
		services[name] = w
	}
}

// scales describes the scaling in progress. A child that is not known may have any number if the PodCliqueSet has the requested one.
func scales(from, to int32) string {
	if from == to {
		return fmt.Sprintf("is scaling to %d replicas", to)
	}
	return fmt.Sprintf("is scaling from %d to %d replicas", from, to)
}
