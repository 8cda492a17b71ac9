package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"

	"google.golang.org/protobuf/proto"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// maxIterations is how often Crossplane resolves the requirements of a function before it gives up. The first call is iteration
// zero.
// https://github.com/crossplane/crossplane/blob/v2.4.0/internal/xfn/required_resources.go
const maxIterations = 5

// A Caller is how a version of Crossplane, or another program that takes its place, calls functions.
type Caller struct {
	// Capabilities that functions are told of.
	Capabilities []fnv1.Capability

	// Early says that what is known to be required is handed over with the first call.
	Early bool

	// Tag of requests. Empty stands for a hash of what they hold, as Crossplane has it, which takes as long as to send them.
	Tag string

	// Content says that one call is enough if its request held all that the function requires.
	Content bool
}

// Renderer calls functions as the renderers of Crossplane's command lines do since v2.2. Required schemas are not among its
// capabilities: there is no cluster whose schemas could be looked up, and a function that is told of the capability takes a schema
// that is missing for a kind that is not installed.
func Renderer() Caller {
	return Caller{Early: true, Content: true, Capabilities: []fnv1.Capability{
		fnv1.Capability_CAPABILITY_CAPABILITIES,
		fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES,
		fnv1.Capability_CAPABILITY_CREDENTIALS,
		fnv1.Capability_CAPABILITY_CONDITIONS,
	}}
}

// Crossplane calls functions as v2.4 does.
func Crossplane() Caller {
	c := Renderer()
	c.Capabilities = append(c.Capabilities, fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS)
	return c
}

// Forgetful calls functions as Crossplane v2.3 does, which calls again until the requirements are twice the same.
func Forgetful() Caller {
	c := Crossplane()
	c.Content = false
	return c
}

// Old calls functions as Crossplane v2.0 does, which advertises no capabilities.
func Old() Caller { return Caller{} }

// A Call of one step, which may take several calls of its function.
type Call struct {
	Step string
	// Requests that the function was called with, and its Response to the last of them.
	Requests []*fnv1.RunFunctionRequest
	Response *fnv1.RunFunctionResponse
}

// Request that the function was called with last.
func (c *Call) Request() *fnv1.RunFunctionRequest { return c.Requests[len(c.Requests)-1] }

// Call a function until its requirements no longer change, or until it returns a Fatal result. The request lacks only what
// Crossplane adds: its metadata, and what is known to be required.
func (c Caller) Call(ctx context.Context, fn Function, req *fnv1.RunFunctionRequest, known *fnv1.Requirements, in Cluster) (*Call, error) {
	early := &delivery{}
	if c.Early {
		var err error
		if early, err = deliver(known, in); err != nil {
			return nil, err
		}
	}
	req = early.to(req)
	if err := c.sign(req); err != nil {
		return nil, err
	}

	out := &Call{}
	var before *fnv1.Requirements
	for i := range maxIterations + 1 {
		rsp, err := fn.RunFunction(ctx, req)
		if err != nil {
			return nil, err
		}
		out.Requests, out.Response = append(out.Requests, req), rsp

		required := rsp.GetRequirements()
		if Fatal(rsp) != nil || proto.Equal(required, before) {
			return out, nil
		}
		next, err := deliver(required, in)
		if err != nil {
			return nil, err
		}
		next.add(early)
		if c.Content && i == 0 && next.in(req) {
			return out, nil
		}
		req = next.to(req)
		req.Context = rsp.GetContext()
		before = required
	}
	return nil, fmt.Errorf("requirements didn't stabilize after the maximum number of iterations (%d)", maxIterations)
}

// sign a request: with a tag, and with what the caller can do.
func (c Caller) sign(req *fnv1.RunFunctionRequest) error {
	tag := c.Tag
	if tag == "" {
		req.Meta = nil
		data, err := proto.MarshalOptions{Deterministic: true}.Marshal(req)
		if err != nil {
			return fmt.Errorf("cannot encode the request: %w", err)
		}
		sum := sha256.Sum256(data)
		tag = hex.EncodeToString(sum[:])
	}
	req.Meta = &fnv1.RequestMeta{Tag: tag, Capabilities: c.Capabilities}
	return nil
}

// A delivery is what was looked up for a function.
type delivery struct {
	resources, extra map[string]*fnv1.Resources
	schemas          map[string]*fnv1.Schema
}

func deliver(required *fnv1.Requirements, in Cluster) (*delivery, error) {
	resources, err := in.Resources(required.GetResources())
	if err != nil {
		return nil, err
	}
	// What is asked for in the field that is deprecated is answered in that which is deprecated.
	extra, err := in.Resources(required.GetExtraResources()) //nolint:staticcheck // See above.
	if err != nil {
		return nil, err
	}
	return &delivery{resources: resources, extra: extra, schemas: in.Schemas(required.GetSchemas())}, nil
}

// add what was known to be required, and is delivered whether or not the function asks for it.
func (d *delivery) add(known *delivery) {
	d.resources = with(d.resources, known.resources)
	d.extra = with(d.extra, known.extra)
	d.schemas = with(d.schemas, known.schemas)
}

// with all entries of a map that lack in another.
func with[V any](m, more map[string]V) map[string]V {
	all := maps.Clone(more)
	if all == nil {
		return m
	}
	maps.Copy(all, m)
	return all
}

// in tells whether a request holds just this.
func (d *delivery) in(req *fnv1.RunFunctionRequest) bool {
	same := func(a, b *fnv1.Resources) bool { return a == b || proto.Equal(a, b) }
	return maps.EqualFunc(d.resources, req.GetRequiredResources(), same) &&
		maps.EqualFunc(d.extra, req.GetExtraResources(), same) && //nolint:staticcheck // See deliver.
		maps.EqualFunc(d.schemas, req.GetRequiredSchemas(), func(a, b *fnv1.Schema) bool { return proto.Equal(a, b) })
}

// to a request, of which the one that is returned is a copy that shares the rest.
func (d *delivery) to(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionRequest {
	return &fnv1.RunFunctionRequest{
		Meta:              req.GetMeta(),
		Observed:          req.GetObserved(),
		Desired:           req.GetDesired(),
		Input:             req.GetInput(),
		Context:           req.GetContext(),
		Credentials:       req.GetCredentials(),
		RequiredResources: d.resources,
		ExtraResources:    d.extra,
		RequiredSchemas:   d.schemas,
	}
}
