package render

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
)

// A pipeline that is being run, and what it has gathered so far.
type pipeline struct {
	xr        *unstructured.Unstructured
	observed  map[string]unstructured.Unstructured
	available []unstructured.Unstructured

	desired    *fnv1.State
	context    *structpb.Struct
	conditions []condition
	results    []unstructured.Unstructured
}

// run the steps in their order. What a step desires and its context are handed
// to the next; nothing runs after a Fatal.
func (p *pipeline) run(ctx context.Context, steps []Step, functions map[string]fnv1.FunctionRunnerServiceServer) error {
	observed, err := p.observedState()
	if err != nil {
		return err
	}

	p.desired = &fnv1.State{}
	if p.context == nil {
		p.context = &structpb.Struct{}
	}
	for _, s := range steps {
		req, err := p.request(s, observed)
		if err != nil {
			return errors.Wrapf(err, "cannot prepare the request of pipeline step %q", s.Step)
		}
		rsp, err := runStep(ctx, functions[s.FunctionRef.Name], req, p.available)
		if err != nil {
			return errors.Wrapf(err, "cannot run pipeline step %q", s.Step)
		}
		if f := fatal(rsp); f != nil {
			return errors.Errorf("pipeline step %q returned a fatal result: %s", s.Step, f.GetMessage())
		}
		if why := graphplan.Held(rsp.GetContext()); why != "" {
			// In a cluster the step would have said so by a Fatal result before and after.
			return errors.Errorf("pipeline step %q returned a fatal result: %s", s.Step, why)
		}
		p.take(s.Step, rsp)
	}
	return nil
}

func (p *pipeline) observedState() (*fnv1.State, error) {
	xr, err := structpb.NewStruct(p.xr.Object)
	if err != nil {
		return nil, errors.Wrap(err, "cannot encode composite resource")
	}
	out := &fnv1.State{Composite: &fnv1.Resource{Resource: xr}, Resources: map[string]*fnv1.Resource{}}
	for key, o := range p.observed {
		r, err := structpb.NewStruct(o.Object)
		if err != nil {
			return nil, errors.Wrapf(err, "cannot encode observed resource %q", key)
		}
		out.Resources[key] = &fnv1.Resource{Resource: r}
	}
	return out, nil
}

// request of a step's first call.
func (p *pipeline) request(s Step, observed *fnv1.State) (*fnv1.RunFunctionRequest, error) {
	req := &fnv1.RunFunctionRequest{Observed: observed, Desired: p.desired, Context: p.context}
	if s.Input != nil {
		input, err := structpb.NewStruct(s.Input)
		if err != nil {
			return nil, errors.Wrap(err, "cannot encode input")
		}
		req.Input = input
	}

	bootstrap := make(map[string]*fnv1.ResourceSelector, len(s.Requirements.RequiredResources))
	for _, r := range s.Requirements.RequiredResources {
		bootstrap[r.RequirementName] = r.selector()
	}
	resources, err := resolve(bootstrap, p.available)
	if err != nil {
		return nil, err
	}
	req.RequiredResources = resources

	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(req)
	if err != nil {
		return nil, err
	}
	tag := sha256.Sum256(data)
	req.Meta = &fnv1.RequestMeta{Tag: hex.EncodeToString(tag[:]), Capabilities: capabilities()}
	return req, nil
}

// capabilities that functions are told of. Required schemas are not among them:
// there is no cluster here whose schemas could be asked for, and a function that
// is told of the capability takes a schema that is missing for a kind that is
// not installed.
func capabilities() []fnv1.Capability {
	return []fnv1.Capability{
		fnv1.Capability_CAPABILITY_CAPABILITIES,
		fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES,
		fnv1.Capability_CAPABILITY_CREDENTIALS,
		fnv1.Capability_CAPABILITY_CONDITIONS,
	}
}

// take over what a step returned.
func (p *pipeline) take(step string, rsp *fnv1.RunFunctionResponse) {
	p.desired = rsp.GetDesired()
	p.context = rsp.GetContext()

	for _, c := range rsp.GetConditions() {
		if c := conditionFrom(c); !c.system() {
			p.conditions = append(p.conditions, c)
		}
	}

	for _, r := range rsp.GetResults() {
		p.results = append(p.results, resultFrom(step, r))
	}
}

// compose what the pipeline desires, in the order of the composition resource
// names. The second value names what is not ready.
func (p *pipeline) compose() ([]unstructured.Unstructured, []string, error) {
	var (
		out     []unstructured.Unstructured
		unready []string
	)
	for _, key := range sortedKeys(p.desired.GetResources()) {
		desired := p.desired.GetResources()[key]
		cd, err := p.composed(key, desired)
		if err != nil {
			return nil, nil, err
		}
		if ns := namespaceOf(desired); p.overrides(ns, key) {
			p.results = append(p.results, namespaceOverridden(key, ns, p.xr.GetNamespace()))
		}
		if desired.GetReady() != fnv1.Ready_READY_TRUE {
			unready = append(unready, key)
		}
		out = append(out, cd)
	}
	return out, unready, nil
}

// overrides tells whether the namespace that a function set is not the one that
// the resource gets. What is observed has the right one already.
func (p *pipeline) overrides(namespace, key string) bool {
	_, exists := p.observed[key]
	return !exists && p.xr.GetNamespace() != "" && namespace != "" && namespace != p.xr.GetNamespace()
}

func namespaceOf(r *fnv1.Resource) string {
	o := unstructured.Unstructured{Object: r.GetResource().AsMap()}
	return o.GetNamespace()
}
