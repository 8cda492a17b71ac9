// Package health judges whether a composed resource is ready, a kind a file.
package health

import (
	"google.golang.org/protobuf/types/known/structpb"
)

// Health of one composed resource.
type Health struct {
	// Ready says whether the resource does its work.
	Ready bool

	// Message says what it waits for. Empty when it is ready.
	Message string
}

// ready is the health of a resource that does its work.
func ready() Health { return Health{Ready: true} }

func notReady(message string) Health { return Health{Message: message} }

// Of an observed resource.
func Of(observed *structpb.Struct) Health {
	if observed == nil {
		return notReady("not created yet")
	}
	switch kind(observed) {
	case "PodCliqueSet":
		return podCliqueSet(observed)
	case "LeaderWorkerSet":
		return leaderWorkerSet(observed)
	case "Deployment":
		return deployment(observed)
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
