package plan

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/verdict"
)

// Verdict on a graph.
type Verdict struct {
	// Accepted says that the graph is planned.
	Accepted bool

	// Errors in the graph, each with the code of its rule as its origin.
	Errors field.ErrorList

	// Refusals are why a valid graph is refused here.
	Refusals []rule.Warning

	// Warnings about the graph. A checkpoint that is not ready yet is one of them, although the graph waits for it: nothing is wrong.
	Warnings []rule.Warning

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
	var texts, awaits []string
	for _, r := range d.Refusals {
		switch {
		case r.Kind == subject.AwaitsCheckpoint:
			awaits = append(awaits, r.Text)
		case r.Field == nil:
			texts = append(texts, r.Text)
		}
	}
	slices.Sort(texts)
	return &Verdict{
		Errors:   rule.Mark(rule.Schema, d.mistakes()),
		Refusals: rule.Warnings(rule.NotSupportedHere, slices.Compact(texts)...),
		Warnings: slices.Concat(d.warnings, rule.Warnings(rule.Checkpoints, awaits...)),
		Graph:    g,
		Plan:     d.plan,
	}
}

// failed is a verdict on what the step cannot work with.
func failed(err error) *Verdict {
	return &Verdict{Refusals: rule.Warnings(rule.Refused, err.Error())}
}

// codes of the rules for which the graph is refused, sorted. A graph that only waits for a checkpoint breaks none.
func (v *Verdict) codes() verdict.Codes {
	if v.Accepted {
		return nil
	}
	var codes verdict.Codes
	for _, e := range v.Errors {
		codes = append(codes, rule.CodeOf(e))
	}
	for _, r := range v.Refusals {
		codes = append(codes, r.Code)
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}
