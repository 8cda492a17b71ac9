package plan

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/response"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/rule"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/step"
)

// report the decision as conditions.
func (d *decision) report(rsp *fnv1.RunFunctionResponse) {
	d.reportAccepted(rsp)
	if d.selection.refused {
		condition.False(rsp, condition.TypeOrchestratorSelected, d.selection.reason, d.selection.message)
		return
	}
	if len(d.mistakes()) > 0 || len(d.Unsupported) > 0 || len(d.Waits) > 0 || len(d.Awaits) > 0 {
		return
	}
	condition.True(rsp, condition.TypeOrchestratorSelected, d.selection.reason, d.selection.message)
	set := condition.False
	ok, reason, message := d.queue.Condition()
	if ok {
		set = condition.True
	} else {
		step.Hurry(rsp)
	}
	set(rsp, condition.TypeQueueAvailable, reason, message)
}

func (d *decision) reportAccepted(rsp *fnv1.RunFunctionResponse) {
	switch {
	case len(d.policy) > 0:
		condition.False(rsp, condition.TypeAccepted, condition.ReasonPolicyInvalid, d.refusal().Error())
	case d.changed():
		condition.False(rsp, condition.TypeAccepted, condition.ReasonImmutableField, d.refusal().Error())
	case d.taken():
		condition.False(rsp, condition.TypeAccepted, condition.ReasonNameTaken, d.refusal().Error())
	case len(d.mistakes()) > 0:
		condition.False(rsp, condition.TypeAccepted, condition.ReasonInvalid, d.refusal().Error())
	case d.selection.refused, len(d.Unsupported) > 0, len(d.Gone) > 0:
		condition.False(rsp, condition.TypeAccepted, condition.ReasonNotSupportedHere, d.refusal().Error())
	case len(d.Waits) > 0:
		condition.False(rsp, condition.TypeAccepted, condition.ReasonWaitingForDeletion, d.refusal().Error())
	case len(d.Awaits) > 0:
		condition.False(rsp, condition.TypeAccepted, condition.ReasonWaitingForCheckpoint, d.refusal().Error())
	case len(d.warnings) > 0:
		condition.True(rsp, condition.TypeAccepted, condition.ReasonValidWithWarnings, d.warning())
	default:
		condition.True(rsp, condition.TypeAccepted, condition.ReasonValid, "")
	}
}

// mistakes are all errors in the graph, or in the policy by which it would be decided.
func (d *decision) mistakes() field.ErrorList {
	return slices.Concat(d.policy, d.Errors, d.Changes, d.Taken)
}

// changed reports whether the only errors are changes of immutable fields.
func (d *decision) changed() bool {
	return len(d.Errors)+len(d.Taken) == 0 && len(d.Changes) > 0
}

// taken reports whether the only errors are names that are taken.
func (d *decision) taken() bool {
	return len(d.Errors)+len(d.Changes) == 0 && len(d.Taken) > 0
}

// refused reports whether the graph is refused for any reason.
func (d *decision) refused() bool {
	return len(d.mistakes()) > 0 || d.selection.refused || len(d.Unsupported) > 0 || len(d.Gone) > 0 || len(d.Waits) > 0 || len(d.Awaits) > 0
}

// lacksAPI reports whether the cluster does not serve the API of an object of the graph. If such an object is desired, it cannot be
// applied. If it is not desired, it is lost.
func (d *decision) lacksAPI() bool {
	return d.selection.missing != "" || len(d.Gone) > 0
}

// refusal is a single error with all reasons for which the graph is refused.
func (d *decision) refusal() error {
	messages := slices.Concat(d.Gone, d.Unsupported, d.Waits, d.Awaits)
	if d.selection.refused {
		messages = append(messages, d.selection.message)
	}
	for _, e := range d.mistakes() {
		messages = append(messages, e.Error())
	}
	slices.Sort(messages)
	return errors.New(condition.Lines(slices.Compact(messages)))
}

func (d *decision) warning() string { return condition.Lines(rule.Texts(d.warnings)) }

// warn once: only if the condition did not contain the same message before. Crossplane creates an event for each result in each call.
func (d *decision) warn(rsp *fnv1.RunFunctionResponse, observed []condition.Observed) {
	if len(d.warnings) == 0 {
		return
	}
	if before := condition.Find(observed, condition.TypeAccepted); before != nil && before.Message == d.warning() {
		return
	}
	response.Warning(rsp, condition.ReasonValidWithWarnings, d.warning())
}
