package plan

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crossplane/function-sdk-go/errors"
	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/health/readiness"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step/hold"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
)

// fatal ends the pipeline in the same way as step.Fatal. Because this is the first step, it repeats all conditions that it does not set.
func fatal(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, err error) {
	response.Fatal(rsp, err)
	reportReadiness(req, rsp, readiness.Observe(req, observed.DeliveredChildren(req)))
}

// refuse a graph with a Fatal result. If that would leave condition Ready with a wrong value, the graph is held once instead.
func refuse(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, d *decision) {
	observation := readiness.Observe(req, observed.DeliveredChildren(req))
	if d.selection.missing != "" {
		observation = observation.Lacks(d.selection.missing)
	}
	if !d.lacksAPI() && hold.Needed(req, observation) && hold.Graph(rsp, req, observation, d.refusal()) {
		// The next run is Fatal again. The change of Ready triggers it, unless Crossplane drops that event.
		step.Hurry(rsp)
	} else {
		response.Fatal(rsp, d.refusal())
	}
	reportReadiness(req, rsp, observation)
}

// reportReadiness reports the readiness of a graph that is not planned in this run, and repeats all other conditions.
func reportReadiness(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, observation *readiness.Observation) {
	observation.Report(req, rsp)
	condition.Repeat(rsp, condition.OfComposite(req))
}

// waiting adds the requirements to the response while any of them is not resolved.
func waiting(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, r require.Requirements, log logging.Logger) bool {
	unresolved := r.Unresolved()
	if len(unresolved) == 0 {
		return false
	}
	log.Debug("Waiting for required resources", "names", unresolved)
	r.Write(req, rsp)
	return true
}

// failed is a verdict on what the step cannot work with.
func failed(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, err error) *Verdict {
	fatal(req, rsp, err)
	m := message.Because("%s", err)
	m.Code = rule.Refused
	return &Verdict{Refusals: []subject.Refusal{{Kind: subject.NotSupported, Message: m}}}
}

// refuseSize refuses a graph that is too large to be decoded.
func refuseSize(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, errs message.List) *Verdict {
	d := &decision{Outcome: subject.Refused(subject.Mistake, errs.Mark(rule.Size)...), words: message.Components{}}
	d.report(rsp)
	fatal(req, rsp, d.refusal())
	return d.verdict(nil)
}

// refuseInput refuses to decide with an invalid input. A mistake in the Composition is not one of the graph.
func refuseInput(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, invalid field.ErrorList) *Verdict {
	fatal(req, rsp, errors.Wrap(invalid.ToAggregate(), "invalid input in the Composition"))
	return &Verdict{Refusals: subject.Refused(subject.PolicyInvalid, message.OfErrors(invalid).Mark(rule.Input)...).Refusals}
}

// refusePolicy refuses a graph because of an invalid EnvironmentConfig, so that a live graph stays as it is. Only its readiness is reported.
func (in *inputs) refusePolicy(
	req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, s *subject.Seen, required require.Requirements, log logging.Logger,
) *Verdict {
	for _, child := range s.ChildLookups() {
		required.Get(s.Answers, child)
	}
	if waiting(req, rsp, required, log) {
		return &Verdict{waiting: true}
	}
	required.Write(req, rsp)
	d := &decision{Outcome: subject.Refused(subject.PolicyInvalid, message.OfErrors(in.policy.invalid).Mark(rule.Input)...), words: s.Graph}
	d.report(rsp)
	refuse(req, rsp, d)
	return d.verdict(nil)
}
