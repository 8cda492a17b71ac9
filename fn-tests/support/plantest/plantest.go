// Package plantest makes the graphs and requests with which step plan and its subjects are tested.
package plantest

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// Struct is an object as functions get it. A string is JSON, for objects that their types cannot express.
func Struct(object any) *structpb.Struct { return steptest.Struct(object) }

// RequestOption changes a request.
type RequestOption func(*fnv1.RunFunctionRequest)

// Request of a caller that can do everything and has looked up nothing yet. The graph is an object or JSON.
func Request(xr any, options ...RequestOption) *fnv1.RunFunctionRequest {
	req := &fnv1.RunFunctionRequest{
		Meta: &fnv1.RequestMeta{Tag: "tag", Capabilities: []fnv1.Capability{
			fnv1.Capability_CAPABILITY_CAPABILITIES,
			fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES,
			fnv1.Capability_CAPABILITY_CONDITIONS,
			fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS,
		}},
		Observed:          &fnv1.State{Composite: &fnv1.Resource{Resource: Struct(xr)}, Resources: map[string]*fnv1.Resource{}},
		RequiredResources: map[string]*fnv1.Resources{},
		RequiredSchemas:   map[string]*fnv1.Schema{},
	}
	for _, option := range options {
		option(req)
	}
	return req
}

// WithInput sets the policy in the input of the step in the Composition.
func WithInput(policy inputv1alpha1.Policy) RequestOption {
	in := inputv1alpha1.Input{Policy: policy}
	in.APIVersion, in.Kind = inputv1alpha1.APIVersion, inputv1alpha1.Kind
	return func(req *fnv1.RunFunctionRequest) { req.Input = Struct(in) }
}

// WithGroups delivers the API groups: those named are installed, the others are not.
func WithGroups(groups ...string) RequestOption {
	return func(req *fnv1.RunFunctionRequest) {
		WithoutPolicy(req)
		for _, group := range []string{"grove", "lws", "volcano", "kai"} {
			req.RequiredResources["apiservice-"+group] = &fnv1.Resources{}
		}
		WithSchemaOf("schema-podgroup-v1", false)(req)
		for _, group := range groups {
			WithServed(group)(req)
		}
	}
}

// requirementPolicy is the name of the requirement of the EnvironmentConfig with the default name.
const requirementPolicy = "environmentconfig-dynamo"

// WithoutPolicy delivers that there is no EnvironmentConfig.
func WithoutPolicy(req *fnv1.RunFunctionRequest) {
	req.RequiredResources[requirementPolicy] = &fnv1.Resources{}
}

// WithPolicy delivers an EnvironmentConfig with data, JSON.
func WithPolicy(data string) RequestOption {
	return func(req *fnv1.RunFunctionRequest) {
		req.RequiredResources[requirementPolicy] = Objects(
			`{"apiVersion":"apiextensions.crossplane.io/v1beta1","kind":"EnvironmentConfig","metadata":{"name":"dynamo"},"data":` + data + `}`)
	}
}

// WithServed delivers that an API group is installed. That of the driver of ComputeDomains comes with its class of devices.
func WithServed(group string) RequestOption {
	return func(req *fnv1.RunFunctionRequest) {
		if group == "resource-nvidia" {
			WithObject("deviceclass-channels", Named("resource.k8s.io/v1", "DeviceClass", "channels"))(req)
		}
		req.RequiredResources["apiservice-"+group] = Objects(Named("apiregistration.k8s.io/v1", "APIService", group))
	}
}

// WithObserved adds an observed composed resource, an object or JSON. A PodCliqueSet comes with the answer that Grove has made
// nothing from it yet.
func WithObserved(key string, object any) RequestOption {
	return func(req *fnv1.RunFunctionRequest) {
		req.Observed.Resources[key] = &fnv1.Resource{Resource: Struct(object)}
		if key == "podcliqueset" {
			WithChildren()(req)
		}
	}
}

// WithChildren delivers the PodCliques and the PodCliqueScalingGroups of the PodCliqueSet, objects or JSON: each to the component
// that it runs. All others are looked up and do not exist.
func WithChildren(children ...any) RequestOption {
	return func(req *fnv1.RunFunctionRequest) {
		set, err := observed.PodCliqueSet(req.GetObserved().GetResources()["podcliqueset"].GetResource())
		if err != nil {
			return
		}
		for component, group := range observed.GroupsOf(set) {
			required := observed.RequiredChild(&graph.Graph{}, component, group)
			delivered := &fnv1.Resources{}
			for _, child := range Objects(children...).GetItems() {
				if tree.Text(child.GetResource(), "name", "metadata") == "llama-0-"+component {
					delivered.Items = append(delivered.Items, child)
				}
			}
			req.RequiredResources[required.Name] = delivered
		}
	}
}

// Objects as they are delivered.
func Objects(all ...any) *fnv1.Resources {
	out := &fnv1.Resources{}
	for _, object := range all {
		out.Items = append(out.Items, &fnv1.Resource{Resource: Struct(object)})
	}
	return out
}

// Decoded is a graph.
func Decoded(t *testing.T, xr any) *graph.Graph {
	t.Helper()
	g, errs := graph.Decode(Request(xr))
	if len(errs) > 0 {
		t.Fatalf("cannot decode the graph: %v", errs.ErrorsIn(g).ToAggregate())
	}
	return g
}

// Facts about the graph of a request, with the defaults of the input.
func Facts(t *testing.T, req *fnv1.RunFunctionRequest) *subject.Facts {
	t.Helper()
	g, errs := graph.Decode(req)
	if len(errs) > 0 {
		t.Fatalf("cannot decode the graph: %v", errs.ErrorsIn(g).ToAggregate())
	}
	in, invalid := input.Read(req.GetInput(), g.Namespace)
	if len(invalid) > 0 {
		t.Fatalf("cannot read the input: %v", invalid.ToAggregate())
	}
	state, err := observed.Of(req)
	if err != nil {
		t.Fatalf("cannot read what is observed: %v", err)
	}
	var r require.Requirements
	return subject.Gather(subject.See(g, in, state, require.AnswersIn(req), &r), input.Sources{}, &r)
}

// OnlyRequired is a request with no other look-ups than those that a response requires. What is read and not required is never there.
func OnlyRequired(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) *fnv1.RunFunctionRequest {
	required, only := rsp.GetRequirements(), proto.CloneOf(req)
	isOther := func(name string, _ *fnv1.Resources) bool {
		return required.GetResources()[name] == nil && required.GetExtraResources()[name] == nil //nolint:staticcheck // All that some callers know.
	}
	maps.DeleteFunc(only.GetRequiredResources(), isOther)
	maps.DeleteFunc(only.GetExtraResources(), isOther) //nolint:staticcheck // As above.
	maps.DeleteFunc(only.GetRequiredSchemas(), func(name string, _ *fnv1.Schema) bool { return required.GetSchemas()[name] == nil })
	return only
}

// Decide runs a subject, and tests that it requires what it reads: with no other look-ups, it decides the same.
func Decide[Decision any](t *testing.T, req *fnv1.RunFunctionRequest, decide func(*subject.Facts) (Decision, subject.Outcome)) (Decision, subject.Outcome) {
	t.Helper()
	decision, outcome := decide(Facts(t, req))
	rsp := &fnv1.RunFunctionResponse{}
	outcome.Requirements.Write(req, rsp)
	again, _ := decide(Facts(t, OnlyRequired(req, rsp)))
	if diff := cmp.Diff(decision, again); diff != "" {
		t.Errorf("want the same decision without look-ups that it does not require: -with, +without:\n%s", diff)
	}
	return decision, outcome
}
