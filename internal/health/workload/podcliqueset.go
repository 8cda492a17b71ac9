package workload

import (
	"fmt"

	"google.golang.org/protobuf/types/known/structpb"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
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

	// Reason of condition ServicesReady if the set is not only waiting for its components. It is empty if the reason is not known.
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
		return PodCliqueSet{Message: begun(&status)}
	case *status.ObservedGeneration < set.Generation && !updating:
		return PodCliqueSet{Message: "Grove has not completed its latest change yet"}
	case len(status.LastErrors) > 0 && (updating || status.AvailableReplicas < set.Spec.Replicas):
		// Grove does not take an error back when it succeeds.
		return PodCliqueSet{Message: observed.Complaint(status.LastErrors)}
	case updating:
		// From v0.1.0-alpha.12 on, observedGeneration only rises when the update ends, which takes as long as its pods do.
		return PodCliqueSet{Message: "a rolling update is in progress", Reason: condition.ReasonUpdating}
	case status.AvailableReplicas < set.Spec.Replicas:
		return PodCliqueSet{Settled: true, Message: fmt.Sprintf("%d of %d replicas are available", status.AvailableReplicas, set.Spec.Replicas)}
	default:
		return PodCliqueSet{Settled: true, Available: true}
	}
}

// begun is what is known of a set whose generation Grove has not observed. It writes the generation last, which takes as long as its pods do to be
// created, and a hash of its templates first.
func begun(status *grovev1alpha1.PodCliqueSetStatus) string {
	switch {
	case len(status.LastErrors) > 0:
		return observed.Complaint(status.LastErrors)
	case status.CurrentGenerationHash != "":
		return "Grove has begun to create its objects"
	default:
		return "Grove has not observed it yet"
	}
}

// Rolls reports whether Grove is replacing pods of an observed PodCliqueSet.
func Rolls(object *structpb.Struct) bool {
	set, err := observed.ProgressOfPodCliqueSet(object)
	return err != nil || set.Status.UpdateProgress.Active() || set.Status.RollingUpdateProgress.Active()
}

// MayRoll reports whether Grove may be about to replace pods of an observed PodCliqueSet, because a change of their templates is among those that
// it has not observed. It compares the templates with a hash that it records first of all, and writes the observed generation last, which may
// take as long as pods do. So a set without a hash or without a change since its creation is not about to roll.
// https://github.com/ai-dynamo/grove/blob/v0.1.0-alpha.12-rc1/operator/internal/controller/podcliqueset/reconcilespec.go
func MayRoll(object *structpb.Struct) bool {
	set, err := observed.ProgressOfPodCliqueSet(object)
	if err != nil {
		return true
	}
	status := set.Status
	if status.ObservedGeneration == nil {
		return set.Generation > 1 && status.CurrentGenerationHash != ""
	}
	return set.Generation > 1 && *status.ObservedGeneration < set.Generation
}
