// Package transition tells what a call of a function says about a graph that was not said before. A function has no memory, but each request
// contains the conditions that the last reconcile has left, so every change is seen exactly once.
package transition

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// Transition of a condition of a graph.
type Transition struct {
	// Condition that changes, with its new status and reason.
	Condition, Status, Reason string
}

// Refuses reports whether the transition is that a graph is not accepted.
func (t Transition) Refuses() bool {
	return t.Condition == condition.TypeAccepted && t.Status == refused
}

// New transitions of a response to a request: conditions Accepted and ServicesReady that differ from the observed ones.
//
// Crossplane sets conditions to Unknown if it cannot apply what a function returns. The status before that is not known, so only a refusal
// is new: it is observed by the next call, while a graph that cannot be applied would be accepted anew with each attempt.
func New(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) []Transition {
	if len(rsp.GetConditions()) == 0 {
		return nil
	}
	conditions := condition.OfComposite(req)
	var transitions []Transition
	for _, returned := range rsp.GetConditions() {
		now, before := condition.Of(returned), condition.Find(conditions, returned.GetType())
		if changed(now, before) || moved(req, now, before) {
			transitions = append(transitions, Transition{Condition: now.Type, Status: now.Status, Reason: now.Reason})
		}
	}
	return transitions
}

// changed reports whether a condition says something else than before.
func changed(now condition.Observed, before *condition.Observed) bool {
	switch {
	case now.Type != condition.TypeAccepted && now.Type != condition.TypeServicesReady, now.Status == unknown:
		return false
	case before == nil:
		return true
	case before.Status == unknown:
		return now.Type == condition.TypeAccepted && now.Status == refused
	case now.Type == condition.TypeServicesReady:
		// The message contains numbers of pods, which change while pods start.
		return now.Status != before.Status || now.Reason != before.Reason
	default:
		return now != *before
	}
}

// moved reports whether condition Accepted is the same as before, but about another generation of the graph. Crossplane before v2.0 does not
// say which generation a condition is about.
func moved(req *fnv1.RunFunctionRequest, now condition.Observed, before *condition.Observed) bool {
	if now.Type != condition.TypeAccepted || before == nil || *before != now {
		return false
	}
	generation := condition.ObservedGeneration(req, now.Type)
	return generation != 0 && generation != GraphOf(req).Generation
}

// Graph that a transition is of. It has the name and the namespace of its claim, if there is one.
type Graph struct {
	Namespace, Name string
	Generation      int64
}

// GraphOf a request. The graph is not decoded, because it may be refused for what it is.
func GraphOf(req *fnv1.RunFunctionRequest) Graph {
	composite := req.GetObserved().GetComposite().GetResource()
	metadata := tree.At(composite, "metadata")
	g := Graph{
		Namespace: tree.Text(metadata, "namespace"), Name: tree.Text(metadata, "name"),
		Generation: int64(metadata.GetFields()["generation"].GetNumberValue()),
	}
	if claim := tree.At(composite, "spec", "claimRef"); g.Namespace == "" && claim != nil {
		g.Namespace, g.Name = tree.Text(claim, "namespace"), tree.Text(claim, "name")
	}
	return g
}

// Values of the status of a condition.
const (
	unknown = string(corev1.ConditionUnknown)
	refused = string(corev1.ConditionFalse)
)

// Outcome of a call.
type Outcome string

// Outcomes.
const (
	// Answered is a call with a response without a Fatal result, including one that requires objects first.
	Answered Outcome = "answered"
	// Refused is a call for a graph that is not accepted.
	Refused Outcome = "refused"
	// Failed is a call with any other Fatal result, such as an invalid input or a bug.
	Failed Outcome = "failed"
	// Error is a call without a response.
	Error Outcome = "error"
)

// Outcomes that exist.
func Outcomes() []Outcome { return []Outcome{Answered, Refused, Failed, Error} }

// OutcomeOf a call. A Fatal result of a refusal has the message of condition Accepted. Any other one repeats the observed condition, which
// may be a refusal as well.
func OutcomeOf(rsp *fnv1.RunFunctionResponse, err error) Outcome {
	if err != nil {
		return Error
	}
	refusal := ""
	for _, c := range rsp.GetConditions() {
		if c.GetType() == condition.TypeAccepted && c.GetStatus() == fnv1.Status_STATUS_CONDITION_FALSE {
			refusal = c.GetMessage()
		}
	}
	fatal := slices.IndexFunc(rsp.GetResults(), func(r *fnv1.Result) bool { return r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL })
	switch {
	case fatal >= 0 && rsp.GetResults()[fatal].GetMessage() != refusal:
		return Failed
	case refusal != "":
		return Refused
	default:
		return Answered
	}
}
