package workload

import (
	"cmp"
	"fmt"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
)

// PodCliqueSet is the state of the set as a whole.
type PodCliqueSet struct {
	// Settled is true if Grove has carried out the latest change of the set.
	Settled bool

	// Available is true if the set is settled and Grove considers all its replicas available. Up to v0.1.0-alpha.11, they are considered
	// available before any pod runs, so the children of the set are more reliable.
	Available bool

	// Message describes what the set is waiting for. It is empty if the set is available.
	Message string

	// Reason of condition ServicesReady if the set is not only waiting for its services. It is empty if the reason is not known.
	Reason string
}

// PodCliqueSetOf an observed object.
func PodCliqueSetOf(object *structpb.Struct) PodCliqueSet {
	if object == nil {
		return PodCliqueSet{Message: notCreated}
	}
	set, err := observed.ProgressOfPodCliqueSet(object)
	if err != nil {
		return PodCliqueSet{Message: "cannot be read: " + err.Error()}
	}
	status := set.Status
	updating := status.UpdateProgress.Active() || status.RollingUpdateProgress.Active()
	switch {
	case set.DeletionTimestamp != nil:
		return PodCliqueSet{Message: beingDeleted}
	case status.ObservedGeneration == nil:
		return PodCliqueSet{Message: "Grove has not observed it yet"}
	case *status.ObservedGeneration < set.Generation && !updating:
		return PodCliqueSet{Message: "Grove has not observed its latest change yet"}
	case len(status.LastErrors) > 0 && (updating || status.AvailableReplicas < set.Spec.Replicas):
		// Grove does not take an error back when it succeeds.
		return PodCliqueSet{Message: "Grove reports an error: " + cmp.Or(status.LastErrors[0].Description, status.LastErrors[0].Code, "unknown")}
	case updating:
		// From v0.1.0-alpha.12 on, observedGeneration only rises when the update ends, which takes as long as its pods do.
		return PodCliqueSet{Message: "a rolling update is in progress", Reason: condition.ReasonUpdating}
	case status.AvailableReplicas < set.Spec.Replicas:
		return PodCliqueSet{Settled: true, Message: fmt.Sprintf("%d of %d replicas are available", status.AvailableReplicas, set.Spec.Replicas)}
	default:
		return PodCliqueSet{Settled: true, Available: true}
	}
}

// Rolls reports whether Grove is replacing pods of an observed PodCliqueSet, or may be about to do so because it has not observed the
// latest change.
func Rolls(object *structpb.Struct) bool {
	set, err := observed.ProgressOfPodCliqueSet(object)
	if err != nil {
		return true
	}
	status := set.Status
	unseen := status.ObservedGeneration == nil && set.Generation > 0 || status.ObservedGeneration != nil && *status.ObservedGeneration < set.Generation
	return unseen || status.UpdateProgress.Active() || status.RollingUpdateProgress.Active()
}
