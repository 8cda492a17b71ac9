package plan

import (
	"cmp"
	"context"
	"slices"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/transition"
)

// Verdict on a graph.
type Verdict struct {
	// Accepted says that the graph is planned.
	Accepted bool

	// Refusals are why the graph is refused.
	Refusals []subject.Refusal

	// Warnings about the graph.
	Warnings message.List

	// Graph as decoded, unless it cannot be. Plan is complete if the graph is accepted.
	Graph *graph.Graph
	Plan  *graphplan.Plan

	// request in which the lost objects of the plan are observed, if the graph is accepted.
	request *fnv1.RunFunctionRequest

	// waiting for requirements. Nothing else is known.
	waiting bool

	// gone is why nothing is decided: the caller does not wait for an answer.
	gone error
}

type verdictKey struct{}

// WithVerdict has a caller that shows people what was decided, and why, told of each verdict, as soon as all requirements are resolved.
func WithVerdict(ctx context.Context, tell func(*Verdict)) context.Context {
	return context.WithValue(ctx, verdictKey{}, tell)
}

// tell a verdict to whoever asks for it.
func (v *Verdict) tell(ctx context.Context) {
	if tell, ok := ctx.Value(verdictKey{}).(func(*Verdict)); ok && !v.waiting {
		tell(v)
	}
}

// verdict of a decision.
func (d *decision) verdict(g *graph.Graph) *Verdict {
	for _, r := range d.Refusals {
		r.Code = cmp.Or(r.Code, rule.Schema)
	}
	return &Verdict{Refusals: d.Refusals, Warnings: d.Warnings, Graph: g, Plan: d.plan}
}

// Mistakes in the graph or in the policy: what is wrong with the values of fields.
func (v *Verdict) Mistakes() message.List {
	outcome := subject.Outcome{Refusals: v.Refusals}
	return outcome.Refused(subject.PolicyInvalid, subject.Mistake, subject.ImmutableChange, subject.NameTaken)
}

// Words in which the messages are read.
func (v *Verdict) Words() message.Words {
	if v.Graph == nil {
		return message.Components{}
	}
	return v.Graph
}

// codes of the rules for which the graph is refused, sorted. A graph that only waits for a checkpoint breaks none.
func (v *Verdict) codes() transition.Codes {
	if v.Accepted {
		return nil
	}
	var codes transition.Codes
	for _, r := range v.Refusals {
		if r.Kind != subject.AwaitsCheckpoint {
			codes = append(codes, r.Code)
		}
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}
