package workload

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/ptr"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

// onLeaderWorkerSets is a component with these replicas.
func onLeaderWorkerSets(g *graph.Graph, component string, sets []int32, resources map[string]*fnv1.Resource) Workload {
	w := Workload{Kind: v1alpha1.ComponentKindLeaderWorkerSet, Ready: true, Settled: true}
	for _, i := range sets {
		w.add(g.Names().Replica(component, i), LeaderWorkerSet(resourceOf(resources, names.KeyLeaderWorkerSet(component, i))))
	}
	slices.Sort(w.Names)
	if len(w.Names) == 0 {
		w.Names = []string{g.Names().Replica(component, 0)}
		w.Counts.Ready = new(int32(0))
	}
	return w
}

// unseen reports whether the status of a LeaderWorkerSet is older than its last change.
func unseen(set *observed.LeaderWorkerSetProgress, object *structpb.Struct) bool {
	if generation := set.Status.ObservedGeneration; generation != 0 {
		return generation < set.Generation
	}
	since := observed.AvailableSince(object)
	return since != "" && since == set.Annotations[metadata.AnnotationAvailableSince]
}

// LeaderWorkerSet is done when all its groups are updated and ready, and its condition Available is True.
func LeaderWorkerSet(object *structpb.Struct) Object {
	if object == nil {
		return waits(Counts{Ready: new(int32(0))}, notCreated)
	}
	set, err := observed.ProgressOfLeaderWorkerSet(object)
	if err != nil {
		return waits(Counts{}, "cannot be read: "+err.Error())
	}
	wanted := ptr.Deref(set.Spec.Replicas, 1)
	status := set.Status
	counts := Counts{Replicas: status.Replicas, Updated: status.UpdatedReplicas, Ready: new(status.ReadyReplicas)}
	switch {
	case set.DeletionTimestamp != nil:
		return waits(counts, beingDeleted)
	case unseen(set, object):
		return waits(counts, "its controller has not observed the latest change yet")
	case status.Replicas < wanted:
		// LWS counts the pods of leaders. It does not report why there are none, for example because of a quota.
		return waits(counts, fmt.Sprintf("%d of %d groups have pods", status.Replicas, wanted))
	case status.UpdatedReplicas < wanted:
		return waits(counts, fmt.Sprintf("%d of %d groups are updated", status.UpdatedReplicas, wanted))
	case status.ReadyReplicas < wanted:
		return waits(counts, fmt.Sprintf("%d of %d groups are ready", status.ReadyReplicas, wanted))
	case status.Replicas != wanted:
		return waits(counts, fmt.Sprintf("%d groups exist, but %d are desired", status.Replicas, wanted))
	case meta.IsStatusConditionTrue(status.Conditions, string(lwsv1.LeaderWorkerSetProgressing)):
		return waits(counts, "is progressing")
	case !meta.IsStatusConditionTrue(status.Conditions, string(lwsv1.LeaderWorkerSetAvailable)):
		return waits(counts, "condition Available is not True")
	default:
		return Object{Counts: counts, Done: true}
	}
}
