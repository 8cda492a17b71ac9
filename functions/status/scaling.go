package status

import (
	"fmt"
	"slices"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/autoscaling"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/workload"
)

// awaitScaling has services wait for the replicas that the graph asks for and that Grove's children do not have yet. What
// runs is ready meanwhile, and is not what is asked for. Only a scaling that step grove carries out is waited for: it
// composes a helper then, or keeps another number in the PodCliqueSet, or gives it the number of the child. With that last
// change Grove has yet to see the set: the graph would be ready for a moment. What somebody else scaled is left alone.
func awaitScaling(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, g *graph.Graph, p *graphplan.Plan, services map[string]workload.Workload) {
	desired := rsp.GetDesired().GetResources()
	composed, ok := desired[string(names.KeyPodCliqueSet)]
	if p.Orchestrator != graphplan.Grove || !ok {
		return
	}
	inSet := observed.ReplicasIn(composed.GetResource())
	before := observed.ReplicasIn(req.GetObserved().GetResources()[string(names.KeyPodCliqueSet)].GetResource())
	for name, w := range services {
		service := g.Spec.Services[name]
		if autoscaling.Enabled(&service) {
			continue
		}
		wanted := pod.Replicas(&service)
		_, helped := desired[string(names.KeyReplicas(name))]
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
		w.Ready = false
		w.Waiting = append(w.Waiting, scales(number, wanted))
		slices.Sort(w.Waiting)
		services[name] = w
	}
}

// awaitScaleIns has services wait for what their scale-ins wait for, or what one of them has wedged.
func awaitScaleIns(waits map[string]string, services map[string]workload.Workload) {
	for name, message := range waits {
		w := services[name]
		w.Ready = false
		w.Waiting = append(w.Waiting, message)
		slices.Sort(w.Waiting)
		services[name] = w
	}
}

// scales says what is under way. A child that is not known may have any number where the PodCliqueSet has the wanted one.
func scales(from, to int32) string {
	if from == to {
		return fmt.Sprintf("scales to %d replicas", to)
	}
	return fmt.Sprintf("scales from %d to %d replicas", from, to)
}
