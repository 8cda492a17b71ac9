package step

import (
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/response"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
)

// Step behind plan.
type Step interface {
	// Do the work of the step. It adds to the response and changes neither the graph nor the plan, which steps may share. An
	// error ends the pipeline.
	Do(call *Call) error
}

// Call of a step.
type Call struct {
	Request *fnv1.RunFunctionRequest

	// Response that is being built. It shares desired state and context with the request.
	Response *fnv1.RunFunctionResponse

	// Graph and Plan of the request.
	Graph *graph.Graph
	Plan  *graphplan.Plan
}

// Run a step as a function of its own, which reads graph and plan from the request.
func Run(s Step, req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	g, p, err := Inputs(req)
	if err != nil {
		return Fatal(response.To(req, TTL), req, err)
	}
	return Perform(s, req, g, p)
}

// Perform a step whose graph and plan have been read.
func Perform(s Step, req *fnv1.RunFunctionRequest, g *graph.Graph, p *graphplan.Plan) *fnv1.RunFunctionResponse {
	call := &Call{Request: req, Response: response.To(req, TTL), Graph: g, Plan: p}
	if err := s.Do(call); err != nil {
		return Fatal(call.Response, req, err)
	}
	return call.Response
}
