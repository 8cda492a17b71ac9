package health

import (
	"fmt"

	"google.golang.org/protobuf/types/known/structpb"
	autoscalingv2 "k8s.io/api/autoscaling/v2"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
)

// horizontalPodAutoscaler is ready because it exists: the workload runs without it, and it has no metrics before that. With equal limits it
// needs none, but its controller asks for them nevertheless.
func horizontalPodAutoscaler(object *structpb.Struct) Health {
	needed := []autoscalingv2.HorizontalPodAutoscalerConditionType{autoscalingv2.AbleToScale, autoscalingv2.ScalingActive}
	least, limited := observed.MinReplicas(object)
	if most, ok := observed.MaxReplicas(object); limited && ok && least == most {
		needed = needed[:1]
	}
	for _, conditionType := range needed {
		if c := conditionOf(object, string(conditionType)); c.status == "False" {
			return noted(fmt.Sprintf("condition %s is False (%s)", conditionType, c.reason))
		}
	}
	return ready()
}
