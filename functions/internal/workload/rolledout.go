package workload

import (
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/observed"
)

// RolledOut reports whether all pods of an observed Deployment, LeaderWorkerSet or PodCliqueSet are of its latest pod template,
// so that none of an earlier one is left. Of any other object, and of one that is being deleted, it is false.
func RolledOut(object *structpb.Struct) bool {
	switch object.GetFields()["kind"].GetStringValue() {
	case "Deployment":
		return deploymentRolledOut(object)
	case "LeaderWorkerSet":
		// A group is updated before the last of its earlier pods is gone. Pods of both have the same names, so a group that is ready
		// has no earlier ones.
		return LeaderWorkerSet(object).Done
	case "PodCliqueSet":
		return PodCliqueSetOf(object).Settled
	default:
		return false
	}
}

// deploymentRolledOut is independent of whether the new pods are available. Before Kubernetes 1.35 a Deployment does not tell
// how many of its pods are terminating.
func deploymentRolledOut(object *structpb.Struct) bool {
	d, err := observed.ProgressOfDeployment(object)
	if err != nil {
		return false
	}
	status := d.Status
	return d.DeletionTimestamp == nil && status.ObservedGeneration >= d.Generation &&
		status.UpdatedReplicas >= ptr.Deref(d.Spec.Replicas, 1) && status.Replicas == status.UpdatedReplicas &&
		ptr.Deref(status.TerminatingReplicas, 0) == 0
}
