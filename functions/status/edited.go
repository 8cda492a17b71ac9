package status

import (
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/health"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/kinds"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/applied"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// edited reports whether the spec of the graph has changed since the last successful run. The observed workloads are those of the previous
// spec: they can be ready without being what the user asks for. A run that fails writes no status, so the graph is still edited in the next.
func edited(req *fnv1.RunFunctionRequest) bool {
	composite := req.GetObserved().GetComposite().GetResource()
	generation := tree.At(composite, "metadata").GetFields()["generation"]
	seen := observed.StatusOf(req).ObservedGeneration()
	return generation != nil && seen != 0 && generation.GetNumberValue() != seen
}

// afterChange is the health of an object in the first run after an edit, or after the step of a restart. A workload that the run changes is
// not ready, even if it is observed as ready. In later runs, its status shows whether its controller has processed the change.
func afterChange(h health.Health, desired, live *structpb.Struct) health.Health {
	hasPods := observed.Listed(desired).Pods != kinds.NoPods
	if !hasPods || !h.Ready || live == nil || !applied.Changes(desired, live) {
		return h
	}
	return health.Health{Message: "the latest change to the graph is being applied"}
}
