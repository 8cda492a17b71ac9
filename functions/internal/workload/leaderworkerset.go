package workload

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/require"
)

// onLeaderWorkerSets is a service of which each replica is a LeaderWorkerSet of its own.
func onLeaderWorkerSets(g *graph.Graph, service string, replicas int32, observed map[string]*fnv1.Resource) Workload {
	w := Workload{Kind: v1alpha1.ComponentKindLeaderWorkerSet, Ready: true, Settled: true}
	for i := range replicas {
		w.add(g.Names().Replica(service, i), LeaderWorkerSet(find(observed, names.KeyLeaderWorkerSet(service, i))))
	}
	slices.Sort(w.Names)
	if len(w.Names) == 0 {
		w.Names = []string{g.Names().Replica(service, 0)}
		w.Counts.Ready = new(int32(0))
	}
	return w
}

// leaderWorkerSet is what a LeaderWorkerSet is judged by: its pods, which are most of it, are not read.
type leaderWorkerSet struct {
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec struct {
		Replicas *int32 `json:"replicas,omitempty"`
	} `json:"spec,omitzero"`
	Status lwsv1.LeaderWorkerSetStatus `json:"status,omitzero"`
}

// LeaderWorkerSet is done when all its groups are updated and ready and its condition Available is True. Before LWS v0.9
// there is no observedGeneration, so that a change may look done for a moment.
func LeaderWorkerSet(observed *structpb.Struct) Object {
	if observed == nil {
		return waits(Counts{Ready: new(int32(0))}, notCreated)
	}
	set := &leaderWorkerSet{}
	if err := require.Into(observed, set); err != nil {
		return waits(Counts{}, "cannot be read: "+err.Error())
	}
	wanted := ptr.Deref(set.Spec.Replicas, 1)
	status := set.Status
	counts := Counts{Replicas: status.Replicas, Updated: status.UpdatedReplicas, Ready: new(status.ReadyReplicas)}
	switch {
	case set.DeletionTimestamp != nil:
		return waits(counts, beingDeleted)
	case status.ObservedGeneration != 0 && status.ObservedGeneration < set.Generation:
		return waits(counts, "its controller has not seen the latest change yet")
	case status.UpdatedReplicas < wanted:
		return waits(counts, fmt.Sprintf("%d of %d groups are updated", status.UpdatedReplicas, wanted))
	case status.ReadyReplicas < wanted:
		return waits(counts, fmt.Sprintf("%d of %d groups are ready", status.ReadyReplicas, wanted))
	case status.Replicas != wanted:
		return waits(counts, fmt.Sprintf("%d groups exist and %d are wanted", status.Replicas, wanted))
	case meta.IsStatusConditionTrue(status.Conditions, string(lwsv1.LeaderWorkerSetProgressing)):
		return waits(counts, "is progressing")
	case !meta.IsStatusConditionTrue(status.Conditions, string(lwsv1.LeaderWorkerSetAvailable)):
		return waits(counts, "its condition Available is not True")
	default:
		return Object{Counts: counts, Done: true}
	}
}
