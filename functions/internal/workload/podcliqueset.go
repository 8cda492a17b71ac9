package workload

import (
	"cmp"
	"fmt"

	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/grovev1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/require"
)

// PodCliqueSet is what is said of the set as a whole.
type PodCliqueSet struct {
	// Settled says that Grove has carried out the latest change of the set.
	Settled bool

	// Available says that it is settled and that Grove holds all its replicas for available. Up to v0.1.0-alpha.11 Grove
	// does so before any pod runs; what the set is made of tells more.
	Available bool

	// Message says what the set waits for. Empty when it is available.
	Message string
}

// podCliqueSet is what a PodCliqueSet is judged by. Its cliques, which are most of it, are not read: it is judged once for each
// of them.
type podCliqueSet struct {
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec struct {
		Replicas int32 `json:"replicas"`
	} `json:"spec,omitzero"`
	Status grovev1alpha1.PodCliqueSetStatus `json:"status,omitzero"`
}

// PodCliqueSetOf an observed object.
func PodCliqueSetOf(observed *structpb.Struct) PodCliqueSet {
	if observed == nil {
		return PodCliqueSet{Message: notCreated}
	}
	set := &podCliqueSet{}
	if err := require.Into(observed, set); err != nil {
		return PodCliqueSet{Message: "cannot be read: " + err.Error()}
	}
	status := set.Status
	switch {
	case set.DeletionTimestamp != nil:
		return PodCliqueSet{Message: beingDeleted}
	case status.ObservedGeneration == nil:
		return PodCliqueSet{Message: "Grove has not observed it yet"}
	case *status.ObservedGeneration < set.Generation:
		return PodCliqueSet{Message: "Grove has not observed its latest change yet"}
	case len(status.LastErrors) > 0:
		return PodCliqueSet{Message: "Grove reports an error: " + cmp.Or(status.LastErrors[0].Description, status.LastErrors[0].Code, "unknown")}
	case status.UpdateProgress.Active() || status.RollingUpdateProgress.Active():
		return PodCliqueSet{Message: "a rolling update is in progress"}
	case status.AvailableReplicas < set.Spec.Replicas:
		return PodCliqueSet{Settled: true, Message: fmt.Sprintf("%d of %d replicas are available", status.AvailableReplicas, set.Spec.Replicas)}
	default:
		return PodCliqueSet{Settled: true, Available: true}
	}
}

// Rolls reports whether Grove replaces pods of an observed PodCliqueSet, or may be about to: it has yet to see the latest
// change.
func Rolls(observed *structpb.Struct) bool {
	set := &podCliqueSet{}
	if err := require.Into(observed, set); err != nil {
		return true
	}
	status := set.Status
	unseen := status.ObservedGeneration == nil && set.Generation > 0 || status.ObservedGeneration != nil && *status.ObservedGeneration < set.Generation
	return unseen || status.UpdateProgress.Active() || status.RollingUpdateProgress.Active()
}
