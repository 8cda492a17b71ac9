package health

import (
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/health/workload"
)

// PodCliqueSet is ready if Grove has applied its latest change and its components are ready: in some versions its own availability is true
// too early. If it only waits for components it has no message, because their messages are more specific.
func PodCliqueSet(observed *structpb.Struct, components []workload.Workload) Health {
	set := workload.PodCliqueSetOf(observed)
	switch {
	case !set.Settled:
		return Health{Message: set.Message, Reason: set.Reason}
	case len(components) == 0:
		return Health{Ready: set.Available, Message: set.Message}
	default:
		return Health{Ready: !slices.ContainsFunc(components, func(w workload.Workload) bool { return !w.Ready })}
	}
}
