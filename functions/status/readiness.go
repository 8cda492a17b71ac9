package status

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/status/health"
)

// markReadiness marks every desired resource that no other function judged, and returns what is not ready and why,
// sorted.
func markReadiness(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) []string {
	var waiting []string
	desired := rsp.GetDesired().GetResources()
	for _, key := range slices.Sorted(maps.Keys(desired)) {
		if desired[key].GetReady() != fnv1.Ready_READY_UNSPECIFIED {
			continue
		}
		h := health.Of(req.GetObserved().GetResources()[key].GetResource())
		desired[key].Ready = fnv1.Ready_READY_FALSE
		if h.Ready {
			desired[key].Ready = fnv1.Ready_READY_TRUE
			continue
		}
		object := desired[key].GetResource().GetFields()
		waiting = append(waiting, fmt.Sprintf("%s %s: %s", object["kind"].GetStringValue(),
			object["metadata"].GetStructValue().GetFields()["name"].GetStringValue(), h.Message))
	}
	slices.Sort(waiting)
	return waiting
}

func reportServices(rsp *fnv1.RunFunctionResponse, waiting []string) {
	if len(waiting) == 0 {
		condition.True(rsp, condition.TypeServicesReady, condition.ReasonAllServicesReady, "")
		return
	}
	condition.False(rsp, condition.TypeServicesReady, condition.ReasonSomeServicesNotReady, strings.Join(waiting, "; "))
}
