// Package plan is the first step. It validates a graph, detects what the cluster supports, decides how the graph runs, and writes the
// decisions to the context for the other steps. It composes nothing.
package plan

import (
	"cmp"
	"context"
	"maps"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/adoption"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/budget"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/recovery"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/lost"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/transition"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step/takeover"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
)

// Function plans a graph.
type Function struct {
	fnv1.UnimplementedFunctionRunnerServiceServer

	log logging.Logger
}

// NewFunction returns the step.
func NewFunction(log logging.Logger) *Function { return &Function{log: log} }

// RunFunction writes the plan to the context. A graph that is invalid, or that cannot run in this cluster, gets condition Accepted=False
// and one Fatal result with all messages, so that nothing is applied and nothing is deleted. While Crossplane looks up the requirements of
// the step, the response only contains the requirements, because a Fatal result would end the lookup.
func (f *Function) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	rsp, v := f.plan(ctx, req, false)
	if v.gone != nil {
		return nil, v.gone
	}
	v.tell(ctx)
	transition.Refuse(ctx, v.codes())
	return rsp, nil
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
	rsp, v := f.plan(ctx, req, true)
	if v.gone != nil {
		return nil, nil, v.gone
	}
	v.tell(ctx)
	if !v.Accepted {
		transition.Refuse(ctx, v.codes())
		return rsp, nil, nil
	}
	return rsp, &Decided{Request: v.request, Graph: v.Graph, Plan: v.Plan}, nil
}

// plan a graph. fused says that the steps after this one add to the same response.
func (f *Function) plan(ctx context.Context, req *fnv1.RunFunctionRequest, fused bool) (*fnv1.RunFunctionResponse, *Verdict) {
	rsp := response.To(req, step.TTL)

	if errs := budget.Decodable(req.GetObserved().GetComposite().GetResource()); len(errs) > 0 {
		return refuseSize(rsp, req, errs)
	}
	g, errs := graph.Decode(req)
	log := f.log.WithValues("graph", g.Name, "namespace", g.Namespace)

	in, invalid := input.Read(req.GetInput(), g.Namespace)
	if len(invalid) > 0 {
		return refuseInput(rsp, req, invalid)
	}
	requirements := require.New(req)
	platform, invalid := policyOf(req, g, in, requirements)
	facts, err := gather(req, g, platform, requirements)
	if err != nil {
		return fatal(rsp, req, err), failed(err)
	}
	if len(invalid) > 0 {
		return refusePolicy(rsp, facts, req, invalid)
	}
	found := recovery.Find(req, facts)
	adopted, adopting := adopt(req, facts)
	if waiting(rsp, requirements) {
		log.Debug("Waiting for required resources", "names", requirements.Unresolved())
		return rsp, &Verdict{waiting: true}
	}
	if len(found)+len(adopted) > 0 {
		req = adopted.Observe(found.Observe(req))
		if facts, err = gather(req, g, platform, requirements); err != nil {
			return fatal(rsp, req, err), failed(err)
		}
		adopting.Add(adoption.Images(facts, len(adopted)))
	}

	d, err := decide(ctx, facts, sharedResponse{given: budget.Given(req), fused: fused}, errs)
	if err != nil {
		return rsp, &Verdict{gone: err}
	}
	d.add(rule.Adoption, adopting)
	d.settle(g, errs)
	maps.Copy(adopted, d.adopted)
	recovery.FindSecret(req, facts, found, d.plan.SSHSecret)
	if d.refused() {
		// The readiness of running workloads is still reported, so their children are required.
		findChildren(facts)
	} else {
		expectChildren(req, facts, d.plan)
	}
	if waiting(rsp, requirements) {
		log.Debug("Waiting for required resources", "names", requirements.Unresolved())
		return rsp, &Verdict{waiting: true}
	}
	requirements.Write(rsp)
	d.report(rsp)
	if d.refused() {
		log.Debug("Refused the graph", "errors", len(d.mistakes()))
		return refuse(rsp, req, d), d.verdict(g)
	}
	maps.Copy(adopted, found)
	return writeAccepted(rsp, req, d, adopted, g)
}

// writeAccepted writes the plan of a graph that is accepted.
func writeAccepted(
	rsp *fnv1.RunFunctionResponse, req *fnv1.RunFunctionRequest, d *decision, unobserved lost.Objects, g *graph.Graph,
) (*fnv1.RunFunctionResponse, *Verdict) {
	if err := writePlan(rsp, req, d, unobserved); err != nil {
		return fatal(rsp, req, err), failed(err)
	}
	v := d.verdict(g)
	v.Accepted, v.request = true, unobserved.Observe(req)
	return rsp, v
}

// refuseSize refuses a graph that is too large to be decoded.
func refuseSize(rsp *fnv1.RunFunctionResponse, req *fnv1.RunFunctionRequest, errs message.List) (*fnv1.RunFunctionResponse, *Verdict) {
	d := &decision{Outcome: subject.Refused(subject.Mistake, errs.Mark(rule.Size)...), words: message.Components{}}
	d.report(rsp)
	return fatal(rsp, req, d.refusal()), d.verdict(nil)
}

// writePlan writes the plan of a graph that is not refused, with the objects that Crossplane does not observe.
func writePlan(rsp *fnv1.RunFunctionResponse, req *fnv1.RunFunctionRequest, d *decision, unobserved lost.Objects) error {
	d.plan.Lost = unobserved.List()
	if err := graphplan.Write(rsp, d.plan); err != nil {
		return err
	}
	d.warn(rsp, condition.OfComposite(req))
	if d.Lacking {
		step.Hurry(rsp)
	}
	return nil
}

// adopt the workloads that the Dynamo operator has made for a graph.
func adopt(req *fnv1.RunFunctionRequest, f *subject.Facts) (lost.Objects, subject.Outcome) {
	workloads, outcome := adoption.Workloads(f)
	outcome.Add(adoption.Check(f))
	objects := lost.Objects{}
	for _, w := range workloads {
		objects.Adopt(req, string(w.Key), w.Object)
	}
	return objects, outcome
}

// gather the facts about a graph from a request, and what its objects have kept: their names, and the cliques of its services.
func gather(req *fnv1.RunFunctionRequest, g *graph.Graph, platform policy, r *require.Requirements) (*subject.Facts, error) {
	state, err := observed.Of(req)
	if err != nil {
		return nil, err
	}
	g.AdoptedNames = takeover.NamesOf(g, req.GetObserved().GetResources())
	subject.RunWeightServers(g, state)
	subject.RunRuntimeContainers(g, platform.input, state)
	g.AdoptedNames.PodCliqueSet = cmp.Or(g.AdoptedNames.PodCliqueSet, nameOfPodCliqueSet(g, state))
	facts := subject.Gather(g, platform.input, state, r)
	facts.Sources = platform.sources
	return facts, nil
}
