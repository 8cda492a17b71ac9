package scaling

import (
	"fmt"
	"sync"
	"time"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
)

// Scale-ins are separated from Grove's rolling updates.
//
// Grove replaces the pods of a PodClique one by one, and counts them: it continues when as many pods of the new template are ready as it
// has deleted of the old one. A scale-in during the update deletes pods that have just been replaced, because pods that are not ready are
// deleted first. The update then waits for more pods than the PodClique has, and never ends. A PodCliqueScalingGroup is scaled in by the
// index and by the number of its replicas, and keeps one too many if one is missing because of an update.
//
// A scale-out blocks nothing: its pods have the new template, and count as replaced. Therefore it is not delayed. Neither is the scale-in
// of a component whose own pods are up to date: Grove has none of them to replace while it updates other components of the PodCliqueSet.
// https://github.com/ai-dynamo/grove/blob/v0.1.0-alpha.12-rc1/operator/internal/controller/podclique/components/pod/rollingupdate.go
// https://github.com/ai-dynamo/grove/blob/v0.1.0-alpha.12-rc1/operator/internal/controller/podcliquescalinggroup/components/podclique/sync.go
// waitsForUpdate is the message for a component whose scale-in is delayed.
const waitsForUpdate = "the scale-in is delayed until Grove's rolling update is complete"

// delayScaleIns of components, and return what they wait for. While Grove replaces pods of a component, or is about to, the helper of the component
// does not scale in: it keeps the component at the current number of replicas. The PodCliqueSet keeps the previous number, so the scale-in is not
// forgotten. A helper that was applied with the lower number and has not acted yet is stopped in the same way. If it has acted and the
// update is wedged as a result, the component gets the replicas that the update is waiting for.
//
// A restart in order is one update after the other, of one component each. A scale-in therefore begins as soon as one of them is complete,
// unless the next one is of the same component.
//
// During an update with strategy Coherent, step grove scales nothing.
func delayScaleIns(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, g *graph.Graph, p *graphplan.Plan, now time.Time) (map[string]string, error) {
	waits := map[string]string{}
	if rollsCoherently(req.GetObserved().GetResources()[string(names.KeyPodCliqueSet)].GetResource()) {
		return waits, nil
	}
	// Few calls scale in, and comparing pod templates takes time.
	set := sync.OnceValue(func() setUpdate { return setUpdateOf(req, rsp) })
	for _, component := range g.ComponentsByName() {
		child, known := p.Children[component.Name]
		if !known || component.IsAutoscaled() {
			continue
		}
		key := names.KeyReplicas(component.Name)
		helper := rsp.GetDesired().GetResources()[string(key)].GetResource()
		bound, scales := observed.MaxReplicas(helper)
		if needed, wedged := wedged(child, now); wedged && (!scales || bound < needed) {
			waits[component.Name] = fmt.Sprintf("Grove's rolling update is waiting for pods that a scale-in deleted, so the component is scaled to %d replicas until the update is complete", needed)
			if err := response.Set(rsp, key, until(helperOf(component, needed), helper, child)); err != nil {
				return nil, err
			}
			continue
		}
		if !scales || bound >= child.SpecReplicas {
			continue
		}
		u := set().updateOf(component.Name, child)
		if u.delays(req.GetObserved().GetResources()[string(key)].GetResource(), bound) {
			waits[component.Name] = waitsForUpdate
			helper = keepAt(helper, child.SpecReplicas)
		}
		response.SetStruct(rsp, key, u.mark(helper))
	}
	return waits, nil
}
