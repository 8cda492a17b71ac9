package render

import (
	"encoding/json"
	"slices"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	graphcondition "github.com/dynamo-crossplane/configuration-dynamo/functions/internal/condition"
)

// renderTime stands for every time in the output, which would otherwise differ
// each time. The real renderer writes the same one.
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

// conditionsOf an object's status, none where it has none that can be read.
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

// setCondition replaces the condition of the same type, or adds it to the end.
// One that says the same is kept as it is.
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

// system tells whether a type is one that Crossplane sets itself. It ignores
// what functions say about those.
func (c condition) system() bool {
	return slices.Contains([]string{"Ready", "Synced", "Healthy", "UpToDate", "Responsive"}, c.Type)
}

// conditionFrom a function.
func conditionFrom(c *fnv1.Condition) condition {
	o := graphcondition.Of(c)
	return condition{Type: o.Type, Status: o.Status, LastTransitionTime: renderTime, Reason: o.Reason, Message: o.Message}
}

// conditionList is a list of conditions as an object holds them, all of them at
// the same time.
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
