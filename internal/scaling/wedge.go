package scaling

import (
	"time"

	"google.golang.org/protobuf/types/known/structpb"
	autoscalingv2 "k8s.io/api/autoscaling/v2"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// wedgeTimeout is how long Grove must not have written the status of a child before its update is considered wedged. In a healthy
// update, Grove writes to the status that it replaces a pod before it deletes that pod, so for a moment the counts look the same.
const wedgeTimeout = 5 * time.Minute

// wedged reports whether the rolling update of a PodClique is waiting for more ready pods of the new template than it can ever have,
// and the number of replicas with which it continues: the pods that it is waiting for, and the pods of the old template, which
// it replaces later.
func wedged(child graphplan.Child, now time.Time) (needed int32, ok bool) {
	update := child.Update
	if child.Kind != grovev1alpha1.KindPodClique || update == nil || update.Selected == 0 || child.Replicas != child.SpecReplicas {
		return 0, false
	}
	written, err := time.Parse(time.RFC3339, update.Written)
	if err != nil || now.Sub(written) < wedgeTimeout {
		return 0, false
	}
	needed = update.Selected + child.Replicas - child.UpdatedReplicas
	return needed, needed > child.SpecReplicas
}

// until the update is complete, a helper scales a component to more replicas. It remembers the number to which the component returns, which
// somebody may have set by hand, unless another helper would scale the component because its number in the graph has changed.
func until(helper *autoscalingv2.HorizontalPodAutoscaler, other *structpb.Struct, child graphplan.Child) *autoscalingv2.HorizontalPodAutoscaler {
	if other == nil {
		return temporary(helper, child.SpecReplicas)
	}
	if before := beforeOf(other); before > 0 {
		return temporary(helper, before)
	}
	return helper
}
