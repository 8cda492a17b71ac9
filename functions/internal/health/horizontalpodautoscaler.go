package health

import (
	"fmt"

	"google.golang.org/protobuf/types/known/structpb"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
)

// horizontalPodAutoscaler is ready because it exists: the workload runs without it, and it has no metrics before that.
func horizontalPodAutoscaler(observed *structpb.Struct) Health {
	for _, conditionType := range []autoscalingv2.HorizontalPodAutoscalerConditionType{autoscalingv2.AbleToScale, autoscalingv2.ScalingActive} {
		if c := conditionOf(observed, string(conditionType)); c.status == "False" {
			return noted(fmt.Sprintf("condition %s is False (%s)", conditionType, c.reason))
		}
	}
	return ready()
}
