package plan

import (
	"slices"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
)

// report the decision as conditions.
func (d *decision) report(rsp *fnv1.RunFunctionResponse) {
	d.reportAccepted(rsp)
	if d.selection.refused {
		condition.False(rsp, condition.TypeOrchestratorSelected, d.selection.reason, d.selection.message.In(d.words))
		return
	}
	if slices.ContainsFunc(d.Refusals, func(r subject.Refusal) bool { return r.Kind != subject.APIGone }) {
		return
	}
	condition.True(rsp, condition.TypeOrchestratorSelected, d.selection.reason, d.selection.message.In(d.words))
	set := condition.False
	ok, reason, text := d.queue.Condition()
	if ok {
		set = condition.True
	} else {
		step.Hurry(rsp)
	}
	set(rsp, condition.TypeQueueAvailable, reason, text)
}

func (d *decision) reportAccepted(rsp *fnv1.RunFunctionResponse) {
	switch {
	case d.refused():
		condition.False(rsp, condition.TypeAccepted, d.reason(), d.refusal().Error())
	case len(d.Warnings) > 0:
		condition.True(rsp, condition.TypeAccepted, condition.ReasonValidWithWarnings, d.warning())
	default:
		condition.True(rsp, condition.TypeAccepted, condition.ReasonValid, "")
	}
}

// reason for which the graph is refused. Of several, what the user of the graph can correct comes before what the cluster lacks, and that before
// what the graph waits for. A change or a name is only the reason if there is no other mistake.
func (d *decision) reason() string {
	switch {
	case d.Has(subject.PolicyInvalid):
		return condition.ReasonPolicyInvalid
	case d.Has(subject.Mistake), d.Has(subject.ImmutableChange) && d.Has(subject.NameTaken):
		return condition.ReasonInvalid
	case d.Has(subject.ImmutableChange):
		return condition.ReasonImmutableField
	case d.Has(subject.NameTaken):
		return condition.ReasonNameTaken
	case d.Has(subject.NotSupported, subject.APIGone):
		return condition.ReasonNotSupportedHere
	case d.Has(subject.AwaitsDeletion):
		return condition.ReasonWaitingForDeletion
	default:
		return condition.ReasonWaitingForCheckpoint
	}
}

// mistakes are all errors in the graph, or in the policy by which it would be decided.
func (d *decision) mistakes() message.List {
	return d.Refused(subject.PolicyInvalid, subject.Mistake, subject.ImmutableChange, subject.NameTaken)
}

// refused reports whether the graph is refused for any reason.
func (d *decision) refused() bool { return len(d.Refusals) > 0 }

// lacksAPI reports whether the cluster does not serve the API of an object of the graph. If such an object is desired, it cannot be
// applied. If it is not desired, it is lost.
func (d *decision) lacksAPI() bool { return d.selection.missing != "" || d.Has(subject.APIGone) }

// refusal is a single error with all reasons for which the graph is refused.
func (d *decision) refusal() error {
	messages := make([]string, 0, len(d.Refusals))
	for _, r := range d.Refusals {
		messages = append(messages, r.In(d.words))
	}
	slices.Sort(messages)
	return errors.New(condition.Lines(slices.Compact(messages)))
}

func (d *decision) warning() string { return condition.Lines(d.Warnings.Texts(d.words)) }

// announce the warnings once: only if the condition did not contain the same message before. Crossplane creates an event for each result in each call.
func (d *decision) announce(rsp *fnv1.RunFunctionResponse, observed []condition.Observed) {
	if len(d.Warnings) == 0 {
		return
	}
	if before := condition.Find(observed, condition.TypeAccepted); before != nil && before.Message == d.warning() {
		return
	}
	response.Warning(rsp, condition.ReasonValidWithWarnings, d.warning())
}

// retain LeaderWorkerSets of components whose scale-in is delayed. Whether the graph is accepted depends on the number that was asked for.
func (d *decision) retain(f *subject.Facts) {
	if d.plan.Orchestrator != graphplan.LeaderWorkerSet {
		return
	}
	for name, component := range d.plan.Components {
		spec := f.Graph.Component(name)
		if !spec.IsMultinode() || f.Graph.Names().InOneSet(name) {
			continue
		}
		written, _ := f.Observed.Status.Revision(name)
		if component.Retained = scaling.Retained(spec, f.Observed, !written.Same(component.Written)); len(component.Retained) > 0 {
			d.plan.Components[name] = component
			f.Graph.Retain(name, component.Retained)
		}
	}
}

// accept the graph, and write its plan.
func accept(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, d *decision, f *subject.Facts) *Verdict {
	d.plan.Lost = d.unobserved.List()
	d.retain(f)
	if err := graphplan.Write(rsp, d.plan); err != nil {
		return failed(req, rsp, err)
	}
	d.announce(rsp, condition.OfComposite(req))
	if d.Lacking {
		step.Hurry(rsp)
	}
	v := d.verdict(f.Graph)
	v.Accepted, v.request = true, d.unobserved.Observe(req)
	return v
}
