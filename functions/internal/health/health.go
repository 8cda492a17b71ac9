// Package health judges whether a composed resource is ready, a kind a file.
package health

import (
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/require"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/workload"
)

// Health of one composed resource.
type Health struct {
	// Ready says whether the resource does its work.
	Ready bool

	// Failed says that it will not do so by itself.
	Failed bool

	// Message says what it waits for. Empty when it is ready.
	Message string

	// Note is what else is worth knowing of a resource that is ready, when others are not.
	Note string
}

// Mark by which Crossplane is told.
func (h Health) Mark() fnv1.Ready {
	if h.Ready {
		return fnv1.Ready_READY_TRUE
	}
	return fnv1.Ready_READY_FALSE
}

// ready is the health of a resource that does its work.
func ready() Health { return Health{Ready: true} }

func notReady(message string) Health { return Health{Message: message} }

// noted is the health of a resource that is ready, with something that may explain why others are not.
func noted(note string) Health { return Health{Ready: true, Note: note} }

// ofObject is the health of an object that runs a service.
func ofObject(o workload.Object) Health {
	return Health{Ready: o.Done, Failed: o.Failed, Message: o.Message}
}

// Of an observed resource.
func Of(observed *structpb.Struct) Health {
	if observed == nil {
		return notReady("not created yet")
	}
	if require.IsDeleting(observed) {
		return notReady("is being deleted")
	}
	switch kind(observed) {
	case "PodCliqueSet":
		return PodCliqueSet(observed, nil)
	case "LeaderWorkerSet":
		return ofObject(workload.LeaderWorkerSet(observed))
	case "Deployment":
		return ofObject(workload.Deployment(observed))
	case "PodGroup":
		return podGroup(observed)
	case "PersistentVolumeClaim":
		return persistentVolumeClaim(observed)
	case "HorizontalPodAutoscaler":
		return horizontalPodAutoscaler(observed)
	case "Service", "Ingress", "ConfigMap", "Secret", "ServiceAccount", "Role", "RoleBinding":
		return existing()
	case "ComputeDomain":
		return computeDomain()
	case "Usage":
		return usage()
	default:
		return other(observed)
	}
}

func kind(observed *structpb.Struct) string {
	return observed.GetFields()["kind"].GetStringValue()
}
