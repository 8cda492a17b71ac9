package scaling

import (
	"google.golang.org/protobuf/types/known/structpb"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
)

// ReplicasOfDeployment of a component. If there is an autoscaler, they are nil and do not change.
func ReplicasOfDeployment(component *graph.Component, live *structpb.Struct) *int32 {
	wanted := component.Replicas()
	// An autoscaler is inactive while there are no replicas, so 0 takes effect with an autoscaler as well.
	if !component.IsAutoscaled() || wanted == 0 {
		return &wanted
	}
	current, _ := observed.Replicas(live)
	switch {
	case current == 0:
		return new(initial(component))
	case scaledByOthers(live):
		return nil
	default:
		return &current
	}
}

// AutoscalerOfDeployment of a component. A multinode component cannot have one, because each of its replicas is a separate LeaderWorkerSet, and an
// autoscaler scales a single object.
func AutoscalerOfDeployment(component *graph.Component) *autoscalingv2.HorizontalPodAutoscaler {
	return autoscaler(component, target{
		APIVersion: appsv1.SchemeGroupVersion.String(), Kind: "Deployment", Name: component.Graph().Names().Component(component.Name),
	}, 1)
}
