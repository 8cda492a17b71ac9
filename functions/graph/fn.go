// Package graph is all steps of the chain in one function, for platforms that prefer one function that is called once to eight
// of them. What it composes and says is what the chain composes and says, to the byte, so that a Composition can change from
// one to the other while its graphs run.
package graph

import (
	"context"
	"time"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/computedomain"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/foundation"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/grove"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/lws"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/revision"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/sshsecret"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/status"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/pipeline"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
)

// Function runs the whole chain.
type Function struct {
	fnv1.UnimplementedFunctionRunnerServiceServer

	plan  *plan.Function
	steps []*step.Function
}

// NewFunction returns the function.
func NewFunction(log logging.Logger) *Function {
	return &Function{
		plan: plan.NewFunction(log),
		steps: []*step.Function{
			foundation.NewFunction(log),
			grove.NewFunction(log),
			lws.NewFunction(log),
			computedomain.NewFunction(log),
			sshsecret.NewFunction(log),
			revision.NewFunction(log),
			status.NewFunction(log),
		},
	}
}

// RunFunction runs the steps one after the other, as Crossplane does, but reads graph and plan only once. Without an answer to what the
// last call has asked for, it runs none.
func (f *Function) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	req, err := asked(req)
	if err != nil {
		return step.Fatal(response.To(req, step.TTL), req, err), nil
	}
	rsp, err := f.run(ctx, req)
	ask(req, rsp)
	return rsp, err
}

// run the steps. It ends with the first step that returns a Fatal result, with step plan while that waits for what it requires, and as soon
// as the caller has gone.
func (f *Function) run(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	timer, begin := step.TimerOf(ctx), time.Now()
	rsp, planned, err := f.plan.Plan(ctx, req)
	timer("plan", time.Since(begin))
	if err != nil {
		return nil, err //nolint:wrapcheck // It is the error of the step.
	}
	if planned == nil {
		return unfinished(req, rsp), nil
	}
	for _, s := range f.steps {
		if err := ctx.Err(); err != nil {
			return nil, err //nolint:wrapcheck // The caller has gone, and the work of the other steps with it.
		}
		begin = time.Now()
		next := s.Perform(after(planned.Request, rsp), planned.Graph, planned.Plan)
		timer(s.Name, time.Since(begin))
		fatal := pipeline.Fatal(next) != nil
		// A Fatal result ends the lookup of what an earlier step waits for. In the chain that has ended before the next step runs.
		if fatal && pipeline.Waits(req, rsp) {
			return unfinished(req, rsp), nil
		}
		pipeline.Gather(rsp, next)
		if err := addRequirements(rsp, next.GetRequirements()); err != nil {
			return step.Fatal(rsp, after(req, rsp), err), nil
		}
		if fatal {
			return rsp, nil
		}
	}
	return rsp, nil
}
