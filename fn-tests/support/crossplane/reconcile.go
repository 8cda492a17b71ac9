package crossplane

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"google.golang.org/protobuf/proto"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/pipeline"
)

// maxReconciles is the maximum number of reconciles of a new graph until nothing changes.
const maxReconciles = 6

// A Reconcile is one run of a pipeline.
type Reconcile struct {
	Calls []Call
}

// A Call of one step.
type Call struct {
	Step string
	// Request that contains all required resources, as Crossplane v2.4 and later sends it: it remembers what was required before. Its
	// Response is the one that counts.
	Request  *fnv1.RunFunctionRequest
	Response *fnv1.RunFunctionResponse
	// Loop are the requests of Crossplane up to v2.3, which does not remember requirements: it begins with those of the Composition, and
	// calls again until the requirements do not change.
	Loop []*fnv1.RunFunctionRequest
}

// ErrFatal is wrapped by the error for a graph that a function refuses.
var ErrFatal = errors.New("fatal result")

// Settle reconciles a graph until nothing changes, and returns the last reconcile.
func (p *Pipeline) Settle(ctx context.Context, g *Graph, functions Functions) (*Reconcile, error) {
	for range maxReconciles {
		r, err := p.Apply(ctx, g, functions)
		if err != nil {
			return nil, err
		}
		after, err := g.observed()
		if err != nil {
			return nil, err
		}
		if proto.Equal(r.Calls[0].Request.GetObserved(), after) {
			return r, nil
		}
	}
	return nil, fmt.Errorf("graph %s does not settle within %d reconciles", g.xr.GetName(), maxReconciles)
}

// Apply reconciles a graph once, and applies what the functions desire. With ErrFatal, it applies nothing.
func (p *Pipeline) Apply(ctx context.Context, g *Graph, functions Functions) (*Reconcile, error) {
	r, err := p.Reconcile(ctx, g, functions)
	if err != nil {
		return r, err
	}
	return r, g.apply(p.Composition, r)
}

// Reconcile a graph once, without applying the desired state. With ErrFatal, the calls end with the function that refuses the graph.
func (p *Pipeline) Reconcile(ctx context.Context, g *Graph, functions Functions) (*Reconcile, error) {
	observed, err := g.observed()
	if err != nil {
		return nil, err
	}
	out := &Reconcile{}
	req := &fnv1.RunFunctionRequest{Observed: observed, Desired: &fnv1.State{}}
	for _, step := range p.Steps {
		runnable := step.Step
		if runnable.Function = functions[step.Function]; runnable.Function == nil {
			return nil, fmt.Errorf("no function %s for step %s", step.Function, step.Name)
		}
		call, err := p.call(ctx, runnable, req, g.world())
		if err != nil {
			return out, fmt.Errorf("cannot run step %s: %w", step.Name, err)
		}
		out.Calls = append(out.Calls, *call)
		if fatal := pipeline.Fatal(call.Response); fatal != nil {
			return out, fmt.Errorf("cannot run step %s: %w: %s", step.Name, ErrFatal, fatal.GetMessage())
		}
		req = pipeline.Next(req, call.Response)
	}
	return out, nil
}

// call a step.
func (p *Pipeline) call(ctx context.Context, step pipeline.Step, req *fnv1.RunFunctionRequest, in pipeline.Cluster) (*Call, error) {
	if !p.Once {
		return callTwice(ctx, step, req, in)
	}
	req.Input = step.Input
	caller := pipeline.Crossplane()
	if p.Caller != nil {
		caller = *p.Caller
	}
	called, err := caller.Call(ctx, step.Function, req, &fnv1.Requirements{Resources: step.Required}, in)
	if err != nil {
		return nil, err
	}
	return &Call{Step: step.Name, Request: called.Requests[len(called.Requests)-1], Response: called.Response}, nil
}

// Forgetful calls functions in the same way as Crossplane v2.3, which calls again until the requirements are the same twice.
func Forgetful() pipeline.Caller {
	c := pipeline.Crossplane()
	c.Content = false
	return c
}

// callTwice calls a step as Crossplane up to v2.3 does, and then as v2.4 and later does, with the previous requirements.
func callTwice(ctx context.Context, step pipeline.Step, req *fnv1.RunFunctionRequest, in pipeline.Cluster) (*Call, error) {
	req.Input = step.Input
	known := &fnv1.Requirements{Resources: step.Required}
	loop, err := Forgetful().Call(ctx, step.Function, req, known, in)
	if err != nil {
		return nil, err
	}
	out := &Call{Step: step.Name, Request: loop.Requests[len(loop.Requests)-1], Response: loop.Response, Loop: loop.Requests}
	if len(loop.Requests) == 1 || pipeline.Fatal(loop.Response) != nil {
		return out, nil
	}
	remembered := &fnv1.Requirements{Resources: maps.Clone(known.GetResources()), Schemas: loop.Response.GetRequirements().GetSchemas()}
	maps.Copy(remembered.GetResources(), loop.Response.GetRequirements().GetResources())
	again, err := pipeline.Crossplane().Call(ctx, step.Function, req, remembered, in)
	if err != nil {
		return nil, err
	}
	out.Request, out.Response = again.Requests[len(again.Requests)-1], again.Response
	return out, nil
}

// Desired state at the end of the pipeline.
func (r *Reconcile) Desired() *fnv1.State { return r.Calls[len(r.Calls)-1].Response.GetDesired() }

// conditions of a composite resource after the pipeline: the last one of each type that the functions returned, and Crossplane's own.
func (r *Reconcile) conditions() []any {
	all := map[string]map[string]any{
		"Synced": condition("Synced", "ReconcileSuccess", ""),
		"Ready":  condition("Ready", "Available", ""),
	}
	for _, call := range r.Calls {
		for _, c := range call.Response.GetConditions() {
			said := condition(c.GetType(), c.GetReason(), c.GetMessage())
			said["status"] = map[fnv1.Status]string{
				fnv1.Status_STATUS_CONDITION_TRUE: "True", fnv1.Status_STATUS_CONDITION_FALSE: "False",
			}[c.GetStatus()]
			if said["status"] == "" {
				said["status"] = "Unknown"
			}
			all[c.GetType()] = said
		}
	}
	out := make([]any, 0, len(all))
	for _, conditionType := range sortedKeys(all) {
		out = append(out, all[conditionType])
	}
	return out
}
