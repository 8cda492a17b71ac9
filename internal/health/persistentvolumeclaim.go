package health

import (
	"google.golang.org/protobuf/types/known/structpb"
	corev1 "k8s.io/api/core/v1"
)

// persistentVolumeClaim is ready unless it has lost its volume. With a StorageClass with WaitForFirstConsumer, it stays Pending until a pod
// mounts it, and that pod is part of the graph.
func persistentVolumeClaim(observed *structpb.Struct) Health {
	switch phase := phaseOf(observed); corev1.PersistentVolumeClaimPhase(phase) {
	case corev1.ClaimLost:
		return Health{Failed: true, Message: "its volume, and the data on it, are lost"}
	case corev1.ClaimPending:
		return noted("is not bound to a volume yet")
	default:
		return ready()
	}
}

func phaseOf(observed *structpb.Struct) string {
	return observed.GetFields()["status"].GetStructValue().GetFields()["phase"].GetStringValue()
}
