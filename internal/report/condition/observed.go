package condition

import (
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
	corev1 "k8s.io/api/core/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// Conditions of Crossplane itself: whether all composed resources are ready, whether everything that was desired last has been applied, and
// whether it processes the events of a composite resource.
const (
	typeReady      = "Ready"
	typeSynced     = "Synced"
	typeResponsive = "Responsive"
)

// Observed is a condition of the observed composite resource.
type Observed struct{ Type, Status, Reason, Message string }

// system reports whether Crossplane itself owns a type of condition. Functions cannot set these.
func system(conditionType string) bool {
	switch conditionType {
	case typeReady, typeSynced, "Healthy", "UpToDate", typeResponsive:
		return true
	default:
		return false
	}
}

// OfComposite are the conditions of the observed composite resource that functions set, in their order there: those of this project and
// those of other functions in the pipeline.
func OfComposite(req *fnv1.RunFunctionRequest) []Observed {
	return slices.DeleteFunc(all(req), func(c Observed) bool { return system(c.Type) })
}

// Unresponsive reports whether Crossplane's circuit breaker is open for the observed composite resource. Crossplane then drops events,
// including those of changes by users.
// https://github.com/crossplane/crossplane/blob/v2.4.0/internal/circuit/mapfunc.go
func Unresponsive(req *fnv1.RunFunctionRequest) bool {
	responsive := Find(all(req), typeResponsive)
	return responsive != nil && responsive.Status == "False"
}

// Ready is Crossplane's own condition Ready of the observed composite resource. nil if it does not exist yet.
func Ready(req *fnv1.RunFunctionRequest) *Observed {
	return Find(all(req), typeReady)
}

// Unsynced reports whether Crossplane could not apply everything that was desired last.
func Unsynced(req *fnv1.RunFunctionRequest) bool {
	synced := Find(all(req), typeSynced)
	return synced != nil && synced.Status == "False"
}

// ObservedGeneration is the generation of the composite resource that an observed condition is about. Zero if it is not known.
func ObservedGeneration(req *fnv1.RunFunctionRequest, conditionType string) int64 {
	status := req.GetObserved().GetComposite().GetResource().GetFields()["status"].GetStructValue()
	for _, value := range status.GetFields()["conditions"].GetListValue().GetValues() {
		fields := value.GetStructValue().GetFields()
		if fields["type"].GetStringValue() == conditionType {
			return int64(fields["observedGeneration"].GetNumberValue())
		}
	}
	return 0
}

// all conditions of the observed composite resource.
func all(req *fnv1.RunFunctionRequest) []Observed {
	status := req.GetObserved().GetComposite().GetResource().GetFields()["status"].GetStructValue()
	var observed []Observed
	for _, value := range status.GetFields()["conditions"].GetListValue().GetValues() {
		if c := fromStruct(value.GetStructValue()); c.Type != "" {
			observed = append(observed, c)
		}
	}
	return observed
}

// Of is a condition in the form in which it is observed after Crossplane has set it.
func Of(c *fnv1.Condition) Observed {
	status := corev1.ConditionUnknown
	switch c.GetStatus() {
	case fnv1.Status_STATUS_CONDITION_TRUE:
		status = corev1.ConditionTrue
	case fnv1.Status_STATUS_CONDITION_FALSE:
		status = corev1.ConditionFalse
	case fnv1.Status_STATUS_CONDITION_UNKNOWN, fnv1.Status_STATUS_CONDITION_UNSPECIFIED:
	}
	return Observed{Type: c.GetType(), Status: string(status), Reason: c.GetReason(), Message: c.GetMessage()}
}

// Find a condition by type. nil if it does not exist.
func Find(conditions []Observed, conditionType string) *Observed {
	for i := range conditions {
		if conditions[i].Type == conditionType {
			return &conditions[i]
		}
	}
	return nil
}

func fromStruct(s *structpb.Struct) Observed {
	text := func(key string) string { return s.GetFields()[key].GetStringValue() }
	return Observed{Type: text("type"), Status: text("status"), Reason: text("reason"), Message: text("message")}
}

// Repeat returns the observed conditions unchanged together with a Fatal result, except for those that the response already sets:
// Crossplane sets every condition to Unknown that a step with a Fatal result does not return.
func Repeat(rsp *fnv1.RunFunctionResponse, conditions []Observed) {
	returned := map[string]bool{}
	for _, c := range rsp.GetConditions() {
		returned[c.GetType()] = true
	}
	for _, c := range conditions {
		if returned[c.Type] || c.Reason == "" {
			continue
		}
		repeat(rsp, c)
	}
}

func repeat(rsp *fnv1.RunFunctionResponse, c Observed) {
	switch c.Status {
	case "True":
		True(rsp, c.Type, c.Reason, c.Message)
	case "False":
		False(rsp, c.Type, c.Reason, c.Message)
	default:
		Unknown(rsp, c.Type, c.Reason, c.Message)
	}
}
