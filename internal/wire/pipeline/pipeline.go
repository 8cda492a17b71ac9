// Package pipeline implements the part of Crossplane that the functions of a Composition interact with: it calls the steps in order,
// resolves their requirements, and passes on what they return.
//
// The renderer uses it, and so do all tests and benchmarks that simulate Crossplane. The fused function uses it for what Crossplane does
// between two steps. Tests compare it with Crossplane's own command lines.
package pipeline

import (
	"context"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// A Function answers requests.
type Function interface {
	RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error)
}

// A Cluster is where Crossplane looks up required objects.
type Cluster interface {
	// Resources that selectors select, by the names of the requirements. If nothing is found, the entry has no items.
	Resources(selectors map[string]*fnv1.ResourceSelector) (map[string]*fnv1.Resources, error)
	// Schemas that selectors select. The schema of a kind that is not served is empty.
	Schemas(selectors map[string]*fnv1.SchemaSelector) (map[string]*fnv1.Schema, error)
}

// A Step of a pipeline.
type Step struct {
	Name     string
	Function Function
	// Input of the function and Credentials for it; nil for most.
	Input       *structpb.Struct
	Credentials map[string]*fnv1.Credentials
	// Required are the resources that the Composition requires for the step, by the names of the requirements.
	Required map[string]*fnv1.ResourceSelector
}

// A Run of a pipeline.
type Run struct {
	// Calls of the steps, up to the one that returned a Fatal result.
	Calls []*Call
}

// Run the steps of a pipeline in order, with the context for the first of them. Nothing runs after a Fatal result. In case of an error, the
// previous calls are returned.
// https://github.com/crossplane/crossplane/blob/v2.4.0/internal/controller/apiextensions/composite/composition_functions.go#L366
func (c Caller) Run(ctx context.Context, steps []Step, observed *fnv1.State, pipelineContext *structpb.Struct, in Cluster) (*Run, error) {
	run := &Run{}
	req := &fnv1.RunFunctionRequest{Observed: observed, Desired: &fnv1.State{}, Context: pipelineContext}
	for _, s := range steps {
		req.Input, req.Credentials = s.Input, s.Credentials
		call, err := c.Call(ctx, s.Function, req, &fnv1.Requirements{Resources: s.Required}, in)
		if err != nil {
			return run, errors.Errorf("cannot run pipeline step %q: %w", s.Name, err)
		}
		call.Step = s.Name
		run.Calls = append(run.Calls, call)
		if Fatal(call.Response) != nil {
			break
		}
		req = Next(req, call.Response)
	}
	return run, nil
}
