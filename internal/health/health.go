// Package health determines whether a composed resource is ready, with a file for each kind.
package health

import (
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/health/workload"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/kinds"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// Health of one composed resource.
type Health struct {
	// Ready says whether the resource works.
	Ready bool

	// Failed says that it will not become ready by itself.
	Failed bool

	// Message says what it waits for. Empty if it is ready.
	Message string

	// Reason of condition ServicesReady for an object that runs a component and is not ready. Empty if the reason is not known.
	Reason string

	// Note is additional information about a ready resource while others are not ready.
	Note string
}

// Mark for Crossplane.
func (h Health) Mark() fnv1.Ready {
	if h.Ready {
		return fnv1.Ready_READY_TRUE
	}
	return fnv1.Ready_READY_FALSE
}

// ready is the health of a resource that works.
func ready() Health { return Health{Ready: true} }

func notReady(message string) Health { return Health{Message: message} }

// noted is the health of a ready resource, with a note that may explain why others are not ready.
func noted(note string) Health { return Health{Ready: true, Note: note} }

// ofObject is the health of an object that runs a component.
func ofObject(o workload.Object) Health {
	return Health{Ready: o.Done, Failed: o.Failed, Message: o.Message, Reason: o.Reason}
}

// Of an observed resource.
func Of(observed *structpb.Struct) Health {
	if observed == nil {
		return notReady("not created yet")
	}
	if require.IsDeleting(observed) {
		return notReady("is being deleted")
	}
	// A kind of another group may have the same name, such as a Service of Knative.
	kind := kinds.Of(tree.Text(observed, "apiVersion"), tree.Text(observed, "kind"))
	switch kind.Readiness {
	case kinds.OwnStatus:
		return judgeOf(kind.Kind)(observed)
	case kinds.Exists:
		return ready()
	default:
		return conditionReady(observed)
	}
}

// judgeOf the status of a kind. nil if the table of kinds says that it is not judged by a status of its own.
func judgeOf(kind string) func(observed *structpb.Struct) Health {
	switch kind {
	case "PodCliqueSet":
		return func(observed *structpb.Struct) Health { return PodCliqueSet(observed, nil) }
	case "LeaderWorkerSet":
		return func(observed *structpb.Struct) Health { return ofObject(workload.LeaderWorkerSet(observed)) }
	case "Deployment":
		return func(observed *structpb.Struct) Health { return ofObject(workload.Deployment(observed)) }
	case "PodGroup":
		return podGroup
	case "PersistentVolumeClaim":
		return persistentVolumeClaim
	case "HorizontalPodAutoscaler":
		return horizontalPodAutoscaler
	default:
		return nil
	}
}
