package step

import (
	"context"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/lost"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
)

// A Function is a step after plan, which runs as a function of its own or as a part of the single function.
type Function struct {
	fnv1.UnimplementedFunctionRunnerServiceServer

	// Name of the step in the chain.
	Name string

	log logging.Logger
	do  func(call *Call) error
}

// NewFunction returns the step that does something for each call. It adds to the response, and changes neither the graph nor the plan, which
// steps may share. An error ends the pipeline.
func NewFunction(name string, log logging.Logger, do func(call *Call) error) *Function {
	return &Function{Name: name, log: log, do: do}
}

// Call of a step.
type Call struct {
	// Request in which the lost objects of the plan are observed.
	Request *fnv1.RunFunctionRequest

	// Response that is built. It shares desired state and context with the request.
	Response *fnv1.RunFunctionResponse

	// Graph and Plan of the request.
	Graph *graph.Graph
	Plan  *graphplan.Plan
}

// RunFunction reads graph and plan from a request, and performs the step. Until the lost objects of the plan are delivered, it only requires them,
// because a Fatal result would end the lookup. If the graph is held, its desired state is already complete, and its spec may not even be
// readable. An error says that the caller has gone.
func (f *Function) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	if graphplan.Held(req.GetContext()) != "" {
		return response.To(req, TTL), nil
	}
	g, p, err := Inputs(req)
	if err != nil {
		return Fatal(response.To(req, TTL), req, err), nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var requirements require.Requirements
	objects := lost.Require(&requirements, req, p.Lost, g.Namespace)
	rsp := response.To(req, TTL)
	if len(requirements.Unresolved()) == 0 {
		rsp = f.Perform(objects.Observe(req), g, p)
	}
	requirements.Write(req, rsp)
	return rsp, nil
}

// Perform the step with a graph and a plan that have been read, and a request in which the lost objects of the plan are observed.
func (f *Function) Perform(req *fnv1.RunFunctionRequest, g *graph.Graph, p *graphplan.Plan) *fnv1.RunFunctionResponse {
	f.log.Debug("Running a step", "step", f.Name, "graph", g.Name, "namespace", g.Namespace)
	call := &Call{Request: req, Response: response.To(req, TTL), Graph: g, Plan: p}
	if err := f.do(call); err != nil {
		return Fatal(call.Response, req, err)
	}
	return call.Response
}
