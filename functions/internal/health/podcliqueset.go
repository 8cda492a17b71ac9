package health

import (
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/workload"
)

// PodCliqueSet is ready when Grove has carried out its latest change and the services that it runs are ready: its own
// availability is true too early on some versions. Where it waits for services alone it has no message; theirs say more.
func PodCliqueSet(observed *structpb.Struct, services []workload.Workload) Health {
	set := workload.PodCliqueSetOf(observed)
	switch {
	case !set.Settled:
		return notReady(set.Message)
	case len(services) == 0:
		return Health{Ready: set.Available, Message: set.Message}
	default:
		return Health{Ready: !slices.ContainsFunc(services, func(w workload.Workload) bool { return !w.Ready })}
	}
}
