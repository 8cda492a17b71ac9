package observed

import (
	"math"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
)

// Live reports whether an observed object is there to stay. One that is being deleted decides nothing any more.
func Live(object *structpb.Struct) bool {
	return object != nil && !require.IsDeleting(object)
}

// MaxReplicas is the upper bound of an observed autoscaler, which is also the lower one of a helper.
func MaxReplicas(object *structpb.Struct) (replicas int32, ok bool) {
	return number(object, "maxReplicas")
}

// MinReplicas of an observed autoscaler. ok is false if it has none, and the default of 1 applies.
func MinReplicas(object *structpb.Struct) (replicas int32, ok bool) {
	return number(object, "minReplicas")
}

// Replicas of an observed workload or scaling adapter.
func Replicas(object *structpb.Struct) (replicas int32, ok bool) {
	return number(object, "replicas")
}

func number(object *structpb.Struct, key string) (int32, bool) {
	value, ok := object.GetFields()["spec"].GetStructValue().GetFields()[key].GetKind().(*structpb.Value_NumberValue)
	if !ok || value.NumberValue < 0 || value.NumberValue > math.MaxInt32 {
		return 0, false
	}
	return int32(value.NumberValue), true
}
