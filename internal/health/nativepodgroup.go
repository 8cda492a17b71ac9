package health

import (
	"google.golang.org/protobuf/types/known/structpb"

	schedulingv1beta1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/scheduling/v1beta1"
)

func isNative(observed *structpb.Struct) bool {
	return schedulingv1beta1.Has(observed.GetFields()["apiVersion"].GetStringValue())
}

// nativePodGroup is ready because it exists, as one of Volcano. Until its pods have been scheduled for the first time, the scheduler reports the
// reason; later its condition stays True whatever happens to them, and says nothing.
func nativePodGroup(observed *structpb.Struct) Health {
	c := conditionOf(observed, schedulingv1beta1.ConditionScheduled)
	switch {
	case c.status == "True":
		return ready()
	case c.status == "False" && c.reason != "":
		return noted("cannot be scheduled (" + c.reason + ")")
	default:
		return noted("is waiting for its pods")
	}
}
