// Package scalein keeps scale-ins and Grove's rolling updates apart.
//
// Grove replaces the pods of a PodClique one by one, and counts: it goes on once as many pods of the new template are ready as
// it has deleted of the old one. A scale-in meanwhile deletes pods that have just been replaced, since those that are not
// ready go first. Then the update waits for more pods than the PodClique has, and never ends. A PodCliqueScalingGroup is scaled in
// by the index and by the number of its replicas, and keeps one too many where one is missing for an update.
//
// A scale-out wedges nothing: its pods are of the new template, and count as replaced. So it is not held back.
// https://github.com/ai-dynamo/grove/blob/v0.1.0-alpha.12-rc1/operator/internal/controller/podclique/components/pod/rollingupdate.go
// https://github.com/ai-dynamo/grove/blob/v0.1.0-alpha.12-rc1/operator/internal/controller/podcliquescalinggroup/components/podclique/sync.go
package scalein

import (
	"fmt"
	"sync"
	"time"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/autoscaling"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/desired"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/observed"
)

// Waits is what a service waits for whose scale-in is held back.
const Waits = "fewer replicas wait until Grove's rolling update is over"

// Pace the helpers that scale services on Grove: one that would scale in while Grove rolls, or is about to, keeps its service at
// the number that it has. The PodCliqueSet keeps the number before, so that nothing is forgotten. A helper that has been told
// the lower number already and has not acted upon it is stopped in the same way; one that has acted is too late to stop.
// A service whose update a scale-in has wedged gets the replicas that it waits for.
//
// What is returned is what services wait for. It comes after all steps that may have a say in pod templates.
func Pace(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, g *graph.Graph, p *graphplan.Plan, now time.Time) (map[string]string, error) {
	waits := map[string]string{}
	if p.Orchestrator != graphplan.Grove {
		return waits, nil
	}
	// Few calls scale in, and to compare pod templates takes time.
	update := sync.OnceValue(func() update { return updateOf(req, rsp) })
	for _, name := range g.ServiceNames() {
		service := g.Spec.Services[name]
		child, known := p.Children[name]
		if !known || autoscaling.Enabled(&service) {
			continue
		}
		key := names.KeyReplicas(name)
		helper := rsp.GetDesired().GetResources()[string(key)].GetResource()
		bound, scales := observed.MaxReplicas(helper)
		if needed, wedged := wedged(child, now); wedged && (!scales || bound < needed) {
			waits[name] = fmt.Sprintf("Grove's rolling update waits for pods that a scale-in has deleted: scales to %d replicas until it is over", needed)
			if err := desired.Set(rsp, key, autoscaling.Helper(g, name, autoscaling.GroveChild(g, name), needed)); err != nil {
				return nil, err
			}
			continue
		}
		before := req.GetObserved().GetResources()[string(key)].GetResource()
		if scales && bound < child.SpecReplicas && (child.Update != nil || update().holds(before)) {
			waits[name] = Waits
			desired.SetStruct(rsp, key, update().mark(hold(helper, child.SpecReplicas)))
		}
	}
	return waits, nil
}
