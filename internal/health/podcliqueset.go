package health

import (
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/health/workload"
)

// PodCliqueSet is ready if Grove has applied its latest change and its services are ready: in some versions its own availability is true
// too early. If it only waits for services it has no message, because their messages are more specific.
func PodCliqueSet(observed *structpb.Struct, services []workload.Workload) Health {
	set := workload.PodCliqueSetOf(observed)
	switch {
	case !set.Settled:
		return Health{Message: set.Message, Reason: set.Reason}
	case len(services) == 0:
		return Health{Ready: set.Available, Message: set.Message}
	default:
		return Health{Ready: !slices.ContainsFunc(services, func(w workload.Workload) bool { return !w.Ready })}
	}
}
