package health

import (
	"fmt"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/ptr"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/require"
)

// leaderWorkerSet is ready when all its groups are updated and ready and its condition Available is True. Before LWS
// v0.9 there is no observedGeneration, so that a change may look ready for a moment.
func leaderWorkerSet(observed *structpb.Struct) Health {
	set := &lwsv1.LeaderWorkerSet{}
	if err := require.Into(observed, set); err != nil {
		return notReady("cannot be read: " + err.Error())
	}
	wanted := ptr.Deref(set.Spec.Replicas, 1)
	status := set.Status
	switch {
	case status.ObservedGeneration != 0 && status.ObservedGeneration < set.Generation:
		return notReady("its controller has not seen the latest change yet")
	case status.UpdatedReplicas < wanted:
		return notReady(fmt.Sprintf("%d of %d groups are updated", status.UpdatedReplicas, wanted))
	case status.ReadyReplicas < wanted:
		return notReady(fmt.Sprintf("%d of %d groups are ready", status.ReadyReplicas, wanted))
	case status.Replicas != wanted:
		return notReady(fmt.Sprintf("%d groups exist and %d are wanted", status.Replicas, wanted))
	case meta.IsStatusConditionTrue(status.Conditions, string(lwsv1.LeaderWorkerSetProgressing)):
		return notReady("is progressing")
	case !meta.IsStatusConditionTrue(status.Conditions, string(lwsv1.LeaderWorkerSetAvailable)):
		return notReady("its condition Available is not True")
	default:
		return ready()
	}
}
