package render

import (
	"encoding/json"
	"slices"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	graphcondition "github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
)

// renderTime is the value of every time in the output, which would otherwise change each time. The Crossplane renderer writes the same one.
const renderTime = "2024-01-01T00:00:00Z"

// A condition of a composite resource.
type condition struct {
	Type               string `json:"type"`
	Status             string `json:"status"`
	LastTransitionTime string `json:"lastTransitionTime"`
	Reason             string `json:"reason"`
	Message            string `json:"message,omitempty"`
	ObservedGeneration int64  `json:"observedGeneration,omitempty"`
}

// conditionsOf an object's status. There are none if it cannot be read.
func conditionsOf(status any) []condition {
	out := struct {
		Conditions []condition `json:"conditions"`
	}{}
	data, err := json.Marshal(status)
	if err != nil {
		return nil
	}
	if err := json.Unmarshal(data, &out); err != nil {
		return nil
	}
	return out.Conditions
}

// setCondition replaces the condition of the same type, or appends it. An equal condition is kept.
func setCondition(conditions []condition, c condition) []condition {
	i := slices.IndexFunc(conditions, func(have condition) bool { return have.Type == c.Type })
	if i < 0 {
		return append(conditions, c)
	}
	if !conditions[i].same(c) {
		conditions[i] = c
	}
	return conditions
}

func (c condition) same(other condition) bool {
	generations := c.ObservedGeneration == 0 || other.ObservedGeneration == 0 || c.ObservedGeneration == other.ObservedGeneration
	return generations && c.Type == other.Type && c.Status == other.Status && c.Reason == other.Reason && c.Message == other.Message
}

// system reports whether Crossplane itself sets a type. It ignores such conditions from functions.
func (c condition) system() bool {
	return slices.Contains([]string{"Ready", "Synced", "Healthy", "UpToDate", "Responsive"}, c.Type)
}

// conditionFrom the condition of a function.
func conditionFrom(c *fnv1.Condition) condition {
	o := graphcondition.Of(c)
	return condition{Type: o.Type, Status: o.Status, LastTransitionTime: renderTime, Reason: o.Reason, Message: o.Message}
}

// conditionList is a list of conditions in the form of an object, all with the same time.
func conditionList(conditions []condition) []any {
	out := make([]any, 0, len(conditions))
	for _, c := range conditions {
		o := map[string]any{"type": c.Type, "status": c.Status, "lastTransitionTime": renderTime, "reason": c.Reason}
		if c.Message != "" {
			o["message"] = c.Message
		}
		if c.ObservedGeneration != 0 {
			o["observedGeneration"] = c.ObservedGeneration
		}
		out = append(out, o)
	}
	return out
}
