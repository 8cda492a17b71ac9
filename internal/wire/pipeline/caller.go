package pipeline

import (
	"context"
	"maps"

	"google.golang.org/protobuf/proto"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// maxIterations is how often Crossplane resolves the requirements of a function before it gives up. The first call is iteration zero.
// https://github.com/crossplane/crossplane/blob/v2.4.0/internal/xfn/required_resources.go
const maxIterations = 5

// tag of all requests. That of Crossplane is a hash of the request, by which it finds responses in its cache.
const tag = "request"

// A Caller is how a version of Crossplane, or a program that replaces it, calls functions.
type Caller struct {
	// Capabilities that are advertised to functions.
	Capabilities []fnv1.Capability

	// Early says that known requirements are delivered with the first call.
	Early bool

	// Content says that one call is enough if its request contained everything that the function requires.
	Content bool
}

// Renderer calls functions in the same way as the renderers of Crossplane's command lines since v2.2. Required schemas are not one of its
// capabilities: there is no cluster to look up schemas, and a function that gets the capability interprets a missing schema as a kind that
// is not installed.
func Renderer() Caller {
	return Caller{Early: true, Content: true, Capabilities: []fnv1.Capability{
		fnv1.Capability_CAPABILITY_CAPABILITIES,
		fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES,
		fnv1.Capability_CAPABILITY_CREDENTIALS,
		fnv1.Capability_CAPABILITY_CONDITIONS,
	}}
}

// Crossplane calls functions in the same way as v2.4.
func Crossplane() Caller {
	c := Renderer()
	c.Capabilities = append(c.Capabilities, fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS)
	return c
}

// A Call of one step, which may need several calls of its function.
type Call struct {
	Step string
	// Requests of the calls of the function, and its Response to the last one.
	Requests []*fnv1.RunFunctionRequest
	Response *fnv1.RunFunctionResponse
}

// Call a function until its requirements no longer change, or until it returns a Fatal result. The request contains everything except what
// Crossplane adds: its metadata, and known requirements.
func (c Caller) Call(ctx context.Context, fn Function, req *fnv1.RunFunctionRequest, known *fnv1.Requirements, in Cluster) (*Call, error) {
	early := &delivery{}
	if c.Early {
		var err error
		if early, err = deliver(known, in); err != nil {
			return nil, err
		}
	}
	req = early.to(req)
	req.Meta = &fnv1.RequestMeta{Tag: tag, Capabilities: c.Capabilities}

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
	return nil, errors.Errorf("requirements didn't stabilize after the maximum number of iterations (%d)", maxIterations)
}

// A delivery contains the required objects for a function.
type delivery struct {
	resources, extra map[string]*fnv1.Resources
	schemas          map[string]*fnv1.Schema
}

func deliver(required *fnv1.Requirements, in Cluster) (*delivery, error) {
	resources, err := in.Resources(required.GetResources())
	if err != nil {
		return nil, err
	}
	// Requirements in the deprecated field are answered in the deprecated field.
	extra, err := in.Resources(required.GetExtraResources()) //nolint:staticcheck // See above.
	if err != nil {
		return nil, err
	}
	schemas, err := in.Schemas(required.GetSchemas())
	if err != nil {
		return nil, err
	}
	return &delivery{resources: resources, extra: extra, schemas: schemas}, nil
}

// add known requirements, which are delivered whether or not the function requires them.
func (d *delivery) add(known *delivery) {
	d.resources = with(d.resources, known.resources)
	d.extra = with(d.extra, known.extra)
	d.schemas = with(d.schemas, known.schemas)
}

// with all entries of another map that are missing.
func with[V any](m, more map[string]V) map[string]V {
	all := maps.Clone(more)
	if all == nil {
		return m
	}
	maps.Copy(all, m)
	return all
}

// in reports whether a request contains exactly this delivery.
func (d *delivery) in(req *fnv1.RunFunctionRequest) bool {
	same := func(a, b *fnv1.Resources) bool { return a == b || proto.Equal(a, b) }
	return maps.EqualFunc(d.resources, req.GetRequiredResources(), same) &&
		maps.EqualFunc(d.extra, req.GetExtraResources(), same) && //nolint:staticcheck // See deliver.
		maps.EqualFunc(d.schemas, req.GetRequiredSchemas(), func(a, b *fnv1.Schema) bool { return proto.Equal(a, b) })
}

// to a request. The returned request is a copy that shares everything else.
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
