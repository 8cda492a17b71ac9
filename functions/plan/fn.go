// Package plan is the first step. It validates a graph, detects what the cluster supports, decides how the graph runs, and writes the
// decisions to the context for the other steps. It composes nothing.
package plan

import (
	"context"
	"maps"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/budget"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/recovery"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/written"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/transition"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step/takeover"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
)

// Function plans a graph.
type Function struct {
	fnv1.UnimplementedFunctionRunnerServiceServer

	log     logging.Logger
	formats written.Formats
}

// NewFunction returns the step.
func NewFunction(log logging.Logger) *Function { return NewFunctionWith(log, written.Current()) }

// NewFunctionWith returns the step as in a release that knows certain formats of what users have written.
func NewFunctionWith(log logging.Logger, formats written.Formats) *Function {
	return &Function{log: log, formats: formats}
}

// RunFunction writes the plan to the context. A graph that is invalid, or that cannot run in this cluster, gets condition Accepted=False
// and one Fatal result with all messages, so that nothing is applied and nothing is deleted. While Crossplane looks up the requirements of
// the step, the response only contains the requirements, because a Fatal result would end the lookup.
func (f *Function) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	rsp, _, err := f.run(ctx, req, false)
	return rsp, err
}

// Decided is the input of the steps after plan.
type Decided struct {
	// Request in which the lost objects of the plan are observed.
	Request *fnv1.RunFunctionRequest

	Graph *graph.Graph
	Plan  *graphplan.Plan
}

// Plan is RunFunction for a caller that runs the other steps in the same process. In addition to the response it returns the plan, or nil
// if no step may follow because the graph is refused or a requirement is not resolved. An error says that the caller has gone.
func (f *Function) Plan(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, *Decided, error) {
	rsp, v, err := f.run(ctx, req, true)
	if err != nil || !v.Accepted {
		return rsp, nil, err
	}
	return rsp, &Decided{Request: v.request, Graph: v.Graph, Plan: v.Plan}, nil
}

// run the step, and tell its verdict to whoever asks for it.
func (f *Function) run(ctx context.Context, req *fnv1.RunFunctionRequest, fused bool) (*fnv1.RunFunctionResponse, *Verdict, error) {
	rsp := response.To(req, step.TTL)
	v := f.plan(ctx, req, rsp, fused)
	if v.gone != nil {
		return nil, nil, v.gone
	}
	v.tell(ctx)
	transition.Refuse(ctx, v.codes())
	return rsp, v, nil
}

// plan a graph in phases. fused says that the steps after this one add to the same response.
func (f *Function) plan(ctx context.Context, req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, fused bool) *Verdict {
	// Read what the user and the platform have written. Without a policy that can be read, only the readiness of a graph is reported.
	in, ended := read(req, rsp)
	if ended != nil {
		return ended
	}
	log := f.log.WithValues("graph", in.graph.Name, "namespace", in.graph.Namespace)
	required := in.policy.required
	seen, err := in.see(req, &required)
	if err != nil {
		return failed(req, rsp, err)
	}
	if len(in.policy.invalid) > 0 {
		return in.refusePolicy(req, rsp, seen, required, log)
	}

	// Own. Objects that Crossplane does not observe decide as much as the others, so all of them are found before anything is decided.
	own := ownedBy(req, seen)
	required = append(required, own.Requirements...)
	if waiting(req, rsp, required, log) {
		return &Verdict{waiting: true}
	}

	// Gather the facts. Nothing changes them from here on.
	facts, err := in.gather(seen, own, &required)
	if err != nil {
		return failed(req, rsp, err)
	}

	// Decide everything at once, so that the user of the graph sees all errors at once. A caller that has gone does not wait for it.
	d := &decision{decoding: in.decoding, given: budget.Given(req), fused: fused, unobserved: own.objects(), words: facts.Graph, formats: f.formats}
	d.Requirements = required
	for _, phase := range []func(*subject.Facts){d.decide, d.check, d.change, d.claim, d.warn} {
		if err := ctx.Err(); err != nil {
			return &Verdict{gone: err}
		}
		phase(facts)
	}
	if len(own.adopted) > 0 {
		own.Add(subject.Refused(subject.ImmutableChange, takeover.Images(facts.Graph, facts.Observed)...))
	}
	d.add(rule.Adoption, own.Outcome)
	d.settle(facts.Graph)

	// The name of the Secret is decided now.
	secret, outcome := recovery.FindSecret(own.request, facts, own.lost, d.plan.SSHSecret)
	d.Add(outcome)
	maps.Copy(d.unobserved, secret)

	// Report, when all that was looked up for the facts and for the decision is known.
	if !d.refused() {
		d.Requirements.Expect(facts.ExpectedChildren(req, d.plan.Orchestrator)...)
	}
	if waiting(req, rsp, d.Requirements, log) {
		return &Verdict{waiting: true}
	}
	d.Requirements.Write(req, rsp)
	d.report(rsp)
	if d.refused() {
		log.Debug("Refused the graph", "errors", len(d.mistakes()))
		refuse(own.request, rsp, d)
		return d.verdict(facts.Graph)
	}
	return accept(own.request, rsp, d, facts)
}
