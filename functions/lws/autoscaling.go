package lws

import (
	appsv1 "k8s.io/api/apps/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling/autoscaling"
)

// autoscaler of a Deployment. A multinode service cannot have one, because each of its replicas is a separate LeaderWorkerSet, and an
// autoscaler scales a single object.
func (b *builder) autoscaler(service *graph.Component) []composed {
	if !service.IsAutoscaled() {
		return nil
	}
	target := autoscaling.Target{APIVersion: appsv1.SchemeGroupVersion.String(), Kind: "Deployment", Name: b.graph.Names().Component(service.Name)}
	return []composed{{names.KeyAutoscaler(service.Name), autoscaling.Autoscaler(b.graph, service.Name, target, 1)}}
}

// replicas of a Deployment. If there is an autoscaler, they are nil and do not change.
func (b *builder) replicas(service *graph.Component) *int32 {
	wanted := service.Replicas()
	// An autoscaler is inactive while there are no replicas, so 0 takes effect with an autoscaler as well.
	if !service.IsAutoscaled() || wanted == 0 {
		return &wanted
	}
	deployment := b.observed[string(names.KeyDeployment(service.Name))].GetResource()
	current, _ := observed.Replicas(deployment)
	switch {
	case current == 0:
		return new(autoscaling.Initial(service))
	case observed.ScaledByOthers(deployment):
		return nil
	default:
		return &current
	}
}
