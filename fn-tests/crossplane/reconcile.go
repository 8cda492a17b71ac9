package crossplane

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// maxIterations is how often Crossplane resolves the requirements of a function before it gives up.
const maxIterations = 5

// maxReconciles is how many reconciles a new graph may take until nothing changes any more.
const maxReconciles = 6

// A Reconcile is one run of a pipeline.
type Reconcile struct {
	Calls []Call
}

// A Call of one step.
type Call struct {
	Step string
	// Request that holds all that the step requires, as Crossplane sends it from v2.4 on: it remembers what was required the
	// last time. Its Response is the one that counts.
	Request  *fnv1.RunFunctionRequest
	Response *fnv1.RunFunctionResponse
	// Loop are the requests that Crossplane sends up to v2.3, which does not remember: it begins with what the Composition
	// requires, and calls again until the requirements are twice the same.
	Loop []*fnv1.RunFunctionRequest
}

// ErrFatal is wrapped by the error of a graph that a function refuses.
var ErrFatal = errors.New("fatal result")

// Settle reconciles a graph until nothing changes any more, and returns the last reconcile.
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

// Apply reconciles a graph once, and applies what the functions desire.
func (p *Pipeline) Apply(ctx context.Context, g *Graph, functions Functions) (*Reconcile, error) {
	r, err := p.Reconcile(ctx, g, functions)
	if err != nil {
		return nil, err
	}
	return r, g.apply(p.Composition, r)
}

// Reconcile a graph once, without applying what the functions desire. With ErrFatal there are the calls up to that of the
// function that refuses the graph.
func (p *Pipeline) Reconcile(ctx context.Context, g *Graph, functions Functions) (*Reconcile, error) {
	observed, err := g.observed()
	if err != nil {
		return nil, err
	}
	out := &Reconcile{}
	next := &fnv1.RunFunctionRequest{Observed: observed, Desired: &fnv1.State{}}
	for _, step := range p.Steps {
		c := caller{function: functions[step.Function], world: g.world()}
		if c.function == nil {
			return nil, fmt.Errorf("no function %s for step %s", step.Function, step.Name)
		}
		next.Input = step.Input
		call, err := c.call(ctx, step, next)
		if call != nil {
			out.Calls = append(out.Calls, *call)
		}
		if err != nil {
			return out, fmt.Errorf("cannot run step %s: %w", step.Name, err)
		}
		next = &fnv1.RunFunctionRequest{Observed: observed, Desired: call.Response.GetDesired(), Context: call.Response.GetContext()}
	}
	return out, nil
}

// Desired state at the end of the pipeline.
func (r *Reconcile) Desired() *fnv1.State { return r.Calls[len(r.Calls)-1].Response.GetDesired() }

// conditions of a composite resource after the pipeline: those of the functions, the last word on each, and Crossplane's own.
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

// caller of one function.
type caller struct {
	function fnv1.FunctionRunnerServiceClient
	world    world
}

// call a step with a request that lacks only what the step requires.
func (c caller) call(ctx context.Context, step Step, base *fnv1.RunFunctionRequest) (*Call, error) {
	bootstrap, err := c.world.required(step.Bootstrap)
	if err != nil {
		return nil, err
	}
	out := &Call{Step: step.Name}
	req := shallow(base)
	req.RequiredResources = bootstrap
	var required *fnv1.Requirements
	for range maxIterations + 1 {
		rsp, err := c.run(ctx, req)
		if err != nil && rsp == nil {
			return nil, err
		}
		out.Loop = append(out.Loop, req)
		if err != nil || len(out.Loop) == 1 && proto.Equal(required, rsp.GetRequirements()) {
			out.Request, out.Response = req, rsp
			return out, err
		}
		if proto.Equal(required, rsp.GetRequirements()) {
			// Of the loop, the last request has a context that the first one of a Crossplane that remembers has not.
			out.Request = shallow(base)
			out.Request.RequiredResources, out.Request.RequiredSchemas = req.GetRequiredResources(), req.GetRequiredSchemas()
			out.Response, err = c.run(ctx, out.Request)
			return out, err
		}
		required = rsp.GetRequirements()
		req = shallow(req)
		req.Context = rsp.GetContext()
		if req.RequiredResources, err = c.world.required(required.GetResources()); err != nil {
			return nil, err
		}
		for name, resources := range bootstrap {
			if _, ok := req.GetRequiredResources()[name]; !ok {
				req.RequiredResources[name] = resources
			}
		}
		req.RequiredSchemas = c.world.schemas(required.GetSchemas())
	}
	return nil, fmt.Errorf("its requirements still change after %d calls", maxIterations+1)
}

// run the function once. With ErrFatal there is a response.
func (c caller) run(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	if err := sign(req); err != nil {
		return nil, err
	}
	rsp, err := c.function.RunFunction(ctx, req, grpc.WaitForReady(true))
	if err != nil {
		return nil, err
	}
	for _, result := range rsp.GetResults() {
		if result.GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
			return rsp, fmt.Errorf("%w: %s", ErrFatal, result.GetMessage())
		}
	}
	return rsp, nil
}

// sign a request as Crossplane does: with a hash of what it holds, and with what Crossplane can do.
func sign(req *fnv1.RunFunctionRequest) error {
	req.Meta = nil
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(req)
	if err != nil {
		return fmt.Errorf("cannot encode a request: %w", err)
	}
	tag := sha256.Sum256(data)
	req.Meta = &fnv1.RequestMeta{Tag: hex.EncodeToString(tag[:]), Capabilities: []fnv1.Capability{
		fnv1.Capability_CAPABILITY_CAPABILITIES,
		fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES,
		fnv1.Capability_CAPABILITY_CREDENTIALS,
		fnv1.Capability_CAPABILITY_CONDITIONS,
		fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS,
	}}
	return nil
}

// shallow copy of a request, which shares what it holds.
func shallow(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionRequest {
	return &fnv1.RunFunctionRequest{
		Meta:              req.GetMeta(),
		Observed:          req.GetObserved(),
		Desired:           req.GetDesired(),
		Input:             req.GetInput(),
		Context:           req.GetContext(),
		RequiredResources: maps.Clone(req.GetRequiredResources()),
		RequiredSchemas:   maps.Clone(req.GetRequiredSchemas()),
	}
}
