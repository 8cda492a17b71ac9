package health

import (
	"google.golang.org/protobuf/types/known/structpb"
)

// other is what is not a workload: ready as soon as it exists, since a PersistentVolumeClaim may stay Pending until a pod
// mounts it, and a PodGroup until it has pods. What another step composes and no step judged may have a condition Ready;
// that is then believed.
func other(observed *structpb.Struct) Health {
	conditions := observed.GetFields()["status"].GetStructValue().GetFields()["conditions"].GetListValue()
	for _, value := range conditions.GetValues() {
		c := value.GetStructValue().GetFields()
		if c["type"].GetStringValue() == "Ready" && c["status"].GetStringValue() != "True" {
			return notReady("its condition Ready is not True")
		}
	}
	return ready()
}
