// Package fused holds that one function in place of seven makes no difference: not to what is composed, and not to anything that
// is said of it.
package fused

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/harness"
)

// maxCalls is how often Crossplane calls a function before it gives up on its requirements.
// https://github.com/crossplane/crossplane/blob/v2.4.0/internal/xfn/required_resources.go
const maxCalls = 6

// A caller is how a version of Crossplane calls functions.
type caller struct {
	capabilities []fnv1.Capability
	// early says that it hands over what the Composition requires with the first call, and that it calls only once when nothing
	// else is asked for.
	early bool
}

// callers that differ in what they tell functions, and in how often they call them.
func callers() map[string]caller {
	known := []fnv1.Capability{fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES, fnv1.Capability_CAPABILITY_CONDITIONS}
	return map[string]caller{
		"v2.0":   {},
		"v2.4":   {capabilities: append(slices.Clone(known), fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS), early: true},
		"render": {capabilities: known, early: true},
	}
}

// A pipeline is the steps of a Composition.
type pipeline []pipelineStep

type pipelineStep struct {
	function  fnv1.FunctionRunnerServiceServer
	input     *structpb.Struct
	bootstrap map[string]*fnv1.ResourceSelector
}

func pipelineOf(t testing.TB, composition string) pipeline {
	t.Helper()
	functions := crossplane.Servers(logging.NewNopLogger())
	if !filepath.IsAbs(composition) {
		composition = filepath.Join(harness.Root(), composition)
	}
	read, err := crossplane.ReadPipeline(composition)
	if err != nil {
		t.Fatal(err)
	}
	var p pipeline
	for _, s := range read.Steps {
		next := pipelineStep{function: functions[s.Function], input: s.Input, bootstrap: s.Bootstrap}
		if next.function == nil {
			t.Fatalf("%s has a function that this test does not know: %s", composition, s.Function)
		}
		p = append(p, next)
	}
	return p
}

// A cluster is what functions may require.
type cluster []object

// An object of the cluster, in the two forms in which it is needed.
type object struct {
	*unstructured.Unstructured

	resource *fnv1.Resource
}

func newObject(o *unstructured.Unstructured) object {
	return object{o, &fnv1.Resource{Resource: toStruct(o.Object)}}
}

func newCluster(t testing.TB, path string) cluster {
	t.Helper()
	var all cluster
	for _, o := range harness.Read(t, path) {
		all = append(all, newObject(o))
	}
	return all
}

// with the composed resources that are observed, and what Grove makes from them.
func (c cluster) with(observed *fnv1.State) cluster {
	all := slices.Clone(c)
	for _, r := range observed.GetResources() {
		o := object{&unstructured.Unstructured{Object: r.GetResource().AsMap()}, r}
		all = append(all, o)
		if o.GetKind() == "PodCliqueSet" {
			all = append(all, children(o, "cliques", "PodClique")...)
			all = append(all, children(o, "podCliqueScalingGroups", "PodCliqueScalingGroup")...)
		}
	}
	return all
}

// children of a PodCliqueSet.
func children(set object, list, kind string) cluster {
	templates, _, _ := unstructured.NestedSlice(set.Object, "spec", "template", list)
	var all cluster
	for _, template := range templates {
		fields, _ := template.(map[string]any)
		child := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": set.GetAPIVersion(), "kind": kind,
			"spec":   map[string]any{"replicas": int64(1)},
			"status": map[string]any{"observedGeneration": int64(1), "replicas": int64(1), "readyReplicas": int64(1)},
		}}
		child.SetName(fmt.Sprintf("%s-0-%v", set.GetName(), fields["name"]))
		child.SetNamespace(set.GetNamespace())
		child.SetGeneration(1)
		child.SetLabels(map[string]string{"app.kubernetes.io/part-of": set.GetName()})
		all = append(all, newObject(child))
	}
	return all
}

func (c cluster) find(s *fnv1.ResourceSelector) *fnv1.Resources {
	found := &fnv1.Resources{}
	for _, o := range c {
		if o.GetAPIVersion() != s.GetApiVersion() || o.GetKind() != s.GetKind() || o.GetNamespace() != s.GetNamespace() {
			continue
		}
		byName := s.GetMatchName() != "" && o.GetName() == s.GetMatchName()
		byLabels := s.GetMatchLabels() != nil && labels.SelectorFromSet(s.GetMatchLabels().GetLabels()).Matches(labels.Set(o.GetLabels()))
		if byName || byLabels {
			found.Items = append(found.Items, o.resource)
		}
	}
	return found
}

// schema of a kind: some, where the cluster has an APIService of its group.
func (c cluster) schema(s *fnv1.SchemaSelector) *fnv1.Schema {
	for _, o := range c {
		if group, _, _ := unstructured.NestedString(o.Object, "spec", "group"); o.GetKind() == "APIService" && group+"/v1alpha1" == s.GetApiVersion() {
			return &fnv1.Schema{OpenapiV3: toStruct(map[string]any{"type": "object"})}
		}
	}
	return &fnv1.Schema{}
}

// An outcome of a pipeline is what Crossplane gathers from all responses, in the form of one; and how often the most called
// function was called.
type outcome struct {
	*fnv1.RunFunctionResponse

	calls int
}

func (o *outcome) fatal() bool { return fatal(o.RunFunctionResponse) }

// reconcile once, as Crossplane does.
// https://github.com/crossplane/crossplane/blob/v2.4.0/internal/controller/apiextensions/composite/composition_functions.go#L366
func (c caller) reconcile(ctx context.Context, p pipeline, observed *fnv1.State, in cluster) (*outcome, error) {
	all := &outcome{RunFunctionResponse: &fnv1.RunFunctionResponse{
		Meta: &fnv1.ResponseMeta{}, Desired: &fnv1.State{}, Context: &structpb.Struct{}, Requirements: &fnv1.Requirements{},
	}}
	for _, s := range p {
		req := &fnv1.RunFunctionRequest{
			Meta: &fnv1.RequestMeta{Capabilities: c.capabilities}, Input: s.input,
			Observed: observed, Desired: all.GetDesired(), Context: all.GetContext(),
		}
		rsp, calls, err := c.call(ctx, s, req, in)
		if err != nil {
			return nil, err
		}
		all.calls = max(all.calls, calls)
		all.take(rsp)
		if fatal(rsp) {
			break
		}
	}
	return all, nil
}

func (o *outcome) take(rsp *fnv1.RunFunctionResponse) {
	if ttl := rsp.GetMeta().GetTtl(); o.GetMeta().GetTtl() == nil || ttl.AsDuration() < o.GetMeta().GetTtl().AsDuration() {
		o.Meta.Ttl = durationpb.New(ttl.AsDuration().Round(time.Millisecond))
	}
	o.Desired, o.Context = rsp.GetDesired(), rsp.GetContext()
	o.Conditions = append(o.Conditions, rsp.GetConditions()...)
	o.Results = append(o.Results, rsp.GetResults()...)
	proto.Merge(o.Requirements, rsp.GetRequirements())
}

// call a function until its requirements come to rest.
func (c caller) call(ctx context.Context, s pipelineStep, req *fnv1.RunFunctionRequest, in cluster) (*fnv1.RunFunctionResponse, int, error) {
	bootstrap := map[string]*fnv1.Resources{}
	if c.early {
		for name, selector := range s.bootstrap {
			bootstrap[name] = in.find(selector)
		}
	}
	req.RequiredResources = bootstrap

	var before *fnv1.Requirements
	for calls := 1; calls <= maxCalls; calls++ {
		rsp, err := overTheWire(ctx, s.function, req)
		if err != nil {
			return nil, 0, err
		}
		asked := rsp.GetRequirements()
		if fatal(rsp) || proto.Equal(asked, before) {
			return rsp, calls, nil
		}
		next := &fnv1.RunFunctionRequest{RequiredResources: maps.Clone(bootstrap), ExtraResources: map[string]*fnv1.Resources{}, RequiredSchemas: map[string]*fnv1.Schema{}}
		for name, selector := range asked.GetResources() {
			next.RequiredResources[name] = in.find(selector)
		}
		for name, selector := range asked.GetExtraResources() { //nolint:staticcheck // What older versions of Crossplane answer.
			next.ExtraResources[name] = in.find(selector) //nolint:staticcheck // See above.
		}
		for name, selector := range asked.GetSchemas() {
			next.RequiredSchemas[name] = in.schema(selector)
		}
		had := &fnv1.RunFunctionRequest{
			RequiredResources: req.GetRequiredResources(), ExtraResources: req.GetExtraResources(), RequiredSchemas: req.GetRequiredSchemas(), //nolint:staticcheck // See above.
		}
		if c.early && calls == 1 && proto.Equal(had, next) {
			return rsp, calls, nil
		}
		req.RequiredResources, req.ExtraResources, req.RequiredSchemas = next.GetRequiredResources(), next.GetExtraResources(), next.GetRequiredSchemas() //nolint:staticcheck // See above.
		req.Context = rsp.GetContext()
		before = asked
	}
	return nil, 0, fmt.Errorf("its requirements do not come to rest within %d calls", maxCalls)
}

// overTheWire calls a function with a copy, and returns one, of what a message can carry.
func overTheWire(ctx context.Context, f fnv1.FunctionRunnerServiceServer, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	received, returned := &fnv1.RunFunctionRequest{}, &fnv1.RunFunctionResponse{}
	if err := send(req, received); err != nil {
		return nil, err
	}
	rsp, err := f.RunFunction(ctx, received)
	if err != nil {
		return nil, err
	}
	return returned, send(rsp, returned)
}

func send(from, to proto.Message) error {
	data, err := proto.Marshal(from)
	if err != nil {
		return err
	}
	return proto.Unmarshal(data, to)
}

func fatal(rsp *fnv1.RunFunctionResponse) bool {
	return slices.ContainsFunc(rsp.GetResults(), func(r *fnv1.Result) bool { return r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL })
}

func toStruct(content map[string]any) *structpb.Struct {
	data, err := json.Marshal(content)
	s := &structpb.Struct{}
	if err == nil {
		err = protojson.Unmarshal(data, s)
	}
	if err != nil {
		panic(fmt.Sprintf("cannot encode what was read from a file: %v", err))
	}
	return s
}
