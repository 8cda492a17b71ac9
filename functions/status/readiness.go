package status

import (
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

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
		if message := judge(desired[key], req.GetObserved().GetResources()[key].GetResource()); message != "" {
			waiting = append(waiting, nameOf(desired[key].GetResource())+": "+message)
		}
	}
	slices.Sort(waiting)
	return waiting
}

// judge a resource unless another function did, and return what it waits for; nothing when it is ready.
func judge(desired *fnv1.Resource, observed *structpb.Struct) string {
	switch desired.GetReady() {
	case fnv1.Ready_READY_TRUE:
		return ""
	case fnv1.Ready_READY_FALSE:
		return "not ready, says another step"
	case fnv1.Ready_READY_UNSPECIFIED:
	}
	h := health.Of(observed)
	desired.Ready = fnv1.Ready_READY_FALSE
	if h.Ready {
		desired.Ready = fnv1.Ready_READY_TRUE
	}
	return h.Message
}

func nameOf(object *structpb.Struct) string {
	name := object.GetFields()["metadata"].GetStructValue().GetFields()["name"].GetStringValue()
	return object.GetFields()["kind"].GetStringValue() + " " + name
}

func reportServices(rsp *fnv1.RunFunctionResponse, waiting []string) {
	if len(waiting) == 0 {
		condition.True(rsp, condition.TypeServicesReady, condition.ReasonAllServicesReady, "")
		return
	}
	condition.False(rsp, condition.TypeServicesReady, condition.ReasonSomeServicesNotReady, strings.Join(waiting, "; "))
}
