// Package scaling decides how many replicas components have, and composes what brings them there.
//
// Who decides the number of a component depends on what its component has:
//
//   - autoscaling: the composed HorizontalPodAutoscaler, which begins with the number in the graph (autoscaler.go);
//   - scalingAdapter, or a share of the units that the graph scales together: whoever scales the composed adapter. Its number then counts as that of
//     the graph, in all steps (adapter.go);
//   - none of them: the graph. On Grove, other clients may scale what runs until the graph changes.
//
// A Deployment has the number in its spec, unless an autoscaler has set it (deployment.go). Each replica of a multinode component is a
// LeaderWorkerSet of its own, and there are as many as the number says, or more while the first ones are not ready (retained.go). Grove only reads
// the number of a new component, so a helper moves those that run (grove.go), and waits while Grove replaces pods (scalein.go, update.go,
// wedge.go). Pace applies that when all pods are known, and tells step status what components wait for.
//
// Elsewhere, functions/plan/served decides whether the cluster has adapters, internal/validate and functions/plan/guardrails check the
// numbers that are asked for, and steps foundation, grove and lws compose what this package returns. Which pods are replaced when their template
// changes is the subject of package rollout, and of package restart when a user asks for it.
package scaling

import (
	"fmt"
	"time"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/managed"
)

// Pace the helpers that scale components on Grove, and return what components wait for. It runs after all steps that may change pod templates.
func Pace(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, g *graph.Graph, p *graphplan.Plan, now time.Time) (map[string][]string, error) {
	if p.Orchestrator != graphplan.Grove {
		return awaitReplicas(g), nil
	}
	waits := map[string][]string{}
	delayed, err := delayScaleIns(req, rsp, g, p, now)
	if err != nil {
		return nil, err
	}
	markObserved(req, rsp)
	for _, messages := range []map[string]string{progress(req, rsp, g, p), delayed} {
		for component, message := range messages {
			waits[component] = append(waits[component], message)
		}
	}
	return waits, nil
}

// progress of components that have not got the replicas yet that the graph requests. Running replicas are ready meanwhile, but are not what was
// requested. Only a scaling by step grove is waited for: the step then composes a helper, or keeps a different number in the PodCliqueSet, or gives
// it the number of the child. After that last change, Grove has not processed the PodCliqueSet yet, and the graph would be ready for a moment.
// Scaling by others is ignored.
func progress(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, g *graph.Graph, p *graphplan.Plan) map[string]string {
	desired := rsp.GetDesired().GetResources()
	composed, ok := desired[string(names.KeyPodCliqueSet)]
	if !ok {
		return nil
	}
	inSet := replicasIn(composed.GetResource())
	set := req.GetObserved().GetResources()[string(names.KeyPodCliqueSet)].GetResource()
	before, deferred := replicasIn(set), rollsCoherently(set)
	all := map[string]string{}
	for _, component := range g.ComponentsByName() {
		if component.IsAutoscaled() {
			continue
		}
		wanted := component.Replicas()
		helper, helped := desired[string(names.KeyReplicas(component.Name))]
		if number := beforeOf(helper.GetResource()); number > 0 {
			wanted = number
		}
		number, inTemplate := inSet[names.Clique(component.Name)]
		child, known := p.Children[component.Name]
		earlier, there := before[names.Clique(component.Name)]
		switch {
		case !helped && (!inTemplate || number == wanted), known && child.SpecReplicas == wanted:
			if !there || !inTemplate || earlier == number || number != wanted {
				continue
			}
			number = earlier
		case known:
			number = child.SpecReplicas
		}
		all[component.Name] = scales(number, wanted)
		if deferred {
			all[component.Name] += " when Grove's update is complete: it scales nothing during an update with strategy " + grovev1alpha1.UpdateCoherent
		}
	}
	return all
}

// scales describes the scaling in progress. A child that is not known may have any number if the PodCliqueSet has the requested one.
func scales(from, to int32) string {
	if from == to {
		return fmt.Sprintf("is scaling to %d replicas", to)
	}
	return fmt.Sprintf("is scaling from %d to %d replicas", from, to)
}

// scaledByOthers reports whether a client other than Crossplane set the replicas of an observed object, such as an
// autoscaler. They are then left out of the desired object, and stay as they are. While Crossplane alone has set them,
// leaving them out would have the API server remove them, and a Deployment would fall to its default of 1.
// https://kubernetes.io/docs/reference/using-api/server-side-apply/#transferring-ownership
func scaledByOthers(object *structpb.Struct) bool {
	for _, entry := range managed.Fields(object) {
		fields := entry.GetStructValue().GetFields()
		spec := fields["fieldsV1"].GetStructValue().GetFields()["f:spec"].GetStructValue().GetFields()
		// Crossplane applies; autoscalers and kubectl scale update.
		if _, owned := spec["f:replicas"]; owned && fields["operation"].GetStringValue() == "Update" {
			return true
		}
	}
	return false
}
