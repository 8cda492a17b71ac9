package health

import (
	"google.golang.org/protobuf/types/known/structpb"
)

// conditionReady is an object whose condition Ready is True, if it has one. Kinds that no step of the chain composes are judged so, too.
func conditionReady(observed *structpb.Struct) Health {
	if c := conditionOf(observed, "Ready"); c.status != "" && c.status != "True" {
		return notReady("condition Ready is not True")
	}
	return ready()
}

// condition of an object of any kind.
type condition struct{ status, reason string }

// conditionOf an object by its type. Empty if there is none.
func conditionOf(observed *structpb.Struct, conditionType string) condition {
	conditions := observed.GetFields()["status"].GetStructValue().GetFields()["conditions"].GetListValue()
	for _, value := range conditions.GetValues() {
		c := value.GetStructValue().GetFields()
		if c["type"].GetStringValue() == conditionType {
			return condition{status: c["status"].GetStringValue(), reason: c["reason"].GetStringValue()}
		}
	}
	return condition{}
}
