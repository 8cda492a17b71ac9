package health

import (
	"fmt"

	"google.golang.org/protobuf/types/known/structpb"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/require"
)

// deployment is ready when its controller has seen the latest generation and all replicas are updated and available.
func deployment(observed *structpb.Struct) Health {
	d := &appsv1.Deployment{}
	if err := require.Into(observed, d); err != nil {
		return notReady("cannot be read: " + err.Error())
	}
	wanted := ptr.Deref(d.Spec.Replicas, 1)
	switch {
	case d.Spec.Paused:
		return notReady("is paused")
	case d.Status.ObservedGeneration < d.Generation:
		return notReady("its controller has not seen the latest change yet")
	case d.Status.UpdatedReplicas < wanted:
		return notReady(fmt.Sprintf("%d of %d replicas are updated", d.Status.UpdatedReplicas, wanted))
	case d.Status.Replicas > wanted:
		return notReady(fmt.Sprintf("%d replicas wait to be terminated", d.Status.Replicas-wanted))
	case d.Status.AvailableReplicas < wanted:
		return notReady(fmt.Sprintf("%d of %d replicas are available", d.Status.AvailableReplicas, wanted))
	case !available(d.Status.Conditions):
		return notReady("its condition Available is not True")
	default:
		return ready()
	}
}

func available(conditions []appsv1.DeploymentCondition) bool {
	for _, c := range conditions {
		if c.Type == appsv1.DeploymentAvailable {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}
