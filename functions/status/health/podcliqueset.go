package health

import (
	"cmp"
	"fmt"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/grovev1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/require"
)

// podCliqueSet is ready when Grove has seen its latest generation, no update is under way and all its replicas are
// available.
func podCliqueSet(observed *structpb.Struct) Health {
	set := &grovev1alpha1.PodCliqueSet{}
	if err := require.Into(observed, set); err != nil {
		return notReady("cannot be read: " + err.Error())
	}
	status := set.Status
	switch {
	case status.ObservedGeneration == nil:
		return notReady("Grove has not seen it yet")
	case *status.ObservedGeneration < set.Generation:
		return notReady("Grove has not seen its latest change yet")
	case len(status.LastErrors) > 0:
		return notReady("Grove reports: " + cmp.Or(status.LastErrors[0].Description, status.LastErrors[0].Code, "an error"))
	case updating(status.UpdateProgress) || updating(status.RollingUpdateProgress):
		return notReady("a rolling update is under way")
	case status.AvailableReplicas < set.Spec.Replicas:
		return notReady(fmt.Sprintf("%d of %d replicas are available", status.AvailableReplicas, set.Spec.Replicas))
	default:
		return ready()
	}
}

func updating(progress *grovev1alpha1.UpdateProgress) bool {
	return progress != nil && progress.UpdateEndedAt == nil
}
