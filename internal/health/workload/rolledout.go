package workload

import (
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/kinds"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// RolledOut reports whether all pods of an observed Deployment, LeaderWorkerSet or PodCliqueSet have its latest pod template. It is false
// for any other object, and for an object that is being deleted.
func RolledOut(object *structpb.Struct) bool {
	switch kinds.Of(tree.Text(object, "apiVersion"), tree.Text(object, "kind")).Pods {
	case kinds.PodTemplate:
		return deploymentRolledOut(object)
	case kinds.LeaderWorkerTemplate:
		// A group is updated before the last of its earlier pods is gone. Earlier and new pods have the same names, so a group that is
		// ready has no earlier pods.
		return LeaderWorkerSet(object).Done
	case kinds.CliqueTemplates:
		return PodCliqueSetOf(object).Settled
	case kinds.NoPods:
	}
	return false
}

// deploymentRolledOut does not depend on whether the new pods are available. Before Kubernetes 1.35, the status of a Deployment does not
// contain the number of its terminating pods.
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
