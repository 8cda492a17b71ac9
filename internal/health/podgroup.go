package health

import (
	"fmt"

	"google.golang.org/protobuf/types/known/structpb"
	volcano "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
)

// podGroup is ready because it exists: it waits for the pods of its LeaderWorkerSet, which would otherwise wait for it. While they do not
// run, Volcano reports the reason. Its messages count nodes and change all the time. Its reasons do not.
func podGroup(observed *structpb.Struct) Health {
	if isNative(observed) {
		return nativePodGroup(observed)
	}
	phase := phaseOf(observed)
	switch volcano.PodGroupPhase(phase) {
	case volcano.PodGroupPending, volcano.PodGroupInqueue, volcano.PodGroupUnknown:
	default:
		return ready()
	}
	if c := conditionOf(observed, string(volcano.PodGroupUnschedulableType)); c.status == "True" && c.reason != "" {
		return noted(fmt.Sprintf("cannot be scheduled (%s, phase %s)", c.reason, phase))
	}
	return noted(fmt.Sprintf("is waiting for its pods (phase %s)", phase))
}
