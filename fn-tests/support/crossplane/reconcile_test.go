package crossplane

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"
	"github.com/crossplane/function-sdk-go/response"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/pipeline"
)

func chain() Functions { return InProcess(Servers(logging.NewNopLogger())) }

func shipped(t *testing.T) *Pipeline {
	t.Helper()
	p, err := ReadPipeline(filepath.Join(harness.Root(), harness.Composition))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestSettle reconciles every example, with Grove and without it, and checks the requests.
func TestSettle(t *testing.T) {
	for _, example := range harness.Examples(t) {
		if example.Composition != harness.Composition {
			continue
		}
		for _, cluster := range []string{"all", "lws-volcano"} {
			t.Run(example.Name+"/"+cluster, func(t *testing.T) {
				xr := harness.Read(t, example.XR)[0]
				g := NewGraph(xr, harness.Read(t, "examples/cluster/"+cluster+".yaml"))
				p := shipped(t)
				first, err := p.Reconcile(t.Context(), g, chain())
				if err != nil {
					t.Skipf("the cluster cannot carry it out: %v", err)
				}
				settled, err := p.Settle(t.Context(), g, chain())
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(sortedKeys(first.Desired().GetResources()), g.Composed()); diff != "" {
					t.Errorf("keys of a new graph and of one that has settled: -new, +settled:\n%s", diff)
				}
				checkRequests(t, p, settled)
				checkObserved(t, g, settled.Calls[0].Request.GetObserved())
				replay(t, p, settled)
			})
		}
	}
}

// checkRequests of a reconcile: each step gets the output of the previous step, and what it requires.
func checkRequests(t *testing.T, p *Pipeline, r *Reconcile) {
	t.Helper()
	previous := &fnv1.RunFunctionResponse{Desired: &fnv1.State{}}
	for i, call := range r.Calls {
		req := call.Request
		if req.GetMeta().GetTag() == "" || !slices.Contains(req.GetMeta().GetCapabilities(), fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES) {
			t.Errorf("step %s: want a tag and capabilities, got %v", call.Step, req.GetMeta())
		}
		if !proto.Equal(previous.GetDesired(), req.GetDesired()) || !proto.Equal(previous.GetContext(), req.GetContext()) {
			t.Errorf("step %s: want desired state and context of the step before", call.Step)
		}
		if !proto.Equal(p.Steps[i].Input, req.GetInput()) {
			t.Errorf("step %s: want input %v, got %v", call.Step, p.Steps[i].Input, req.GetInput())
		}
		for name := range call.Response.GetRequirements().GetResources() {
			if _, ok := req.GetRequiredResources()[name]; !ok {
				t.Errorf("step %s: requirement %s is not delivered", call.Step, name)
			}
		}
		last := call.Loop[len(call.Loop)-1]
		if diff := cmp.Diff(sortedKeys(last.GetRequiredResources()), sortedKeys(req.GetRequiredResources())); diff != "" {
			t.Errorf("step %s: required resources: -last call of the loop, +request:\n%s", call.Step, diff)
		}
		previous = call.Response
	}
	if required := r.Calls[0].Response.GetRequirements().GetResources(); len(required) == 0 || len(r.Calls[0].Loop) < 2 {
		t.Errorf("step plan: want requirements and more than one call, got %d and %d", len(required), len(r.Calls[0].Loop))
	}
}

// checkObserved state: it is as complete as that of a live graph.
func checkObserved(t *testing.T, g *Graph, observed *fnv1.State) {
	t.Helper()
	if diff := cmp.Diff(g.Composed(), sortedKeys(observed.GetResources())); diff != "" {
		t.Errorf("keys of the observed state: -composed, +observed:\n%s", diff)
	}
	for key, r := range observed.GetResources() {
		object := unstructured.Unstructured{Object: r.GetResource().AsMap()}
		owner := metav1.GetControllerOf(&object)
		if owner == nil || owner.UID != g.xr.GetUID() || object.GetUID() == "" || object.GetResourceVersion() == "" ||
			len(object.GetManagedFields()) == 0 || harness.Key(&object) != key || object.GetNamespace() != g.xr.GetNamespace() {
			t.Errorf("%s: want all that the API server and Crossplane write, got metadata %v", key, object.Object["metadata"])
		}
	}
	xr := unstructured.Unstructured{Object: observed.GetComposite().GetResource().AsMap()}
	refs, _, _ := unstructured.NestedSlice(xr.Object, "spec", "crossplane", "resourceRefs")
	conditions, _, _ := unstructured.NestedSlice(xr.Object, "status", "conditions")
	if len(refs) != len(observed.GetResources()) || len(conditions) < 3 || len(xr.GetManagedFields()) == 0 {
		t.Errorf("composite resource: want references, conditions and managed fields, got %v", xr.Object)
	}
}

// replay the requests. The responses do not change, so requests can be measured repeatedly.
func replay(t *testing.T, p *Pipeline, r *Reconcile) {
	t.Helper()
	functions := chain()
	for i, call := range r.Calls {
		got, err := functions[p.Steps[i].Function].RunFunction(t.Context(), call.Request)
		if err != nil {
			t.Fatal(err)
		}
		if !proto.Equal(call.Response, got) {
			t.Errorf("step %s: -first answer, +second answer:\n%s", call.Step, cmp.Diff(call.Response, got, protocmp.Transform()))
		}
	}
}

// A script is a function with predefined responses.
type script struct {
	fnv1.UnimplementedFunctionRunnerServiceServer

	answer func(*fnv1.RunFunctionRequest, *fnv1.RunFunctionResponse)
}

// RunFunction returns the next response.
func (s script) RunFunction(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	rsp := response.To(req, response.DefaultTTL)
	s.answer(req, rsp)
	return rsp, nil
}

func TestReconcileFails(t *testing.T) {
	step := func(function string) *Pipeline {
		return &Pipeline{Steps: []Step{{Step: pipeline.Step{Name: "it"}, Function: function}}}
	}
	calls := 0
	cases := map[string]struct {
		reason   string
		pipeline *Pipeline
		answer   func(*fnv1.RunFunctionRequest, *fnv1.RunFunctionResponse)
		err      string
		fatal    bool
	}{
		"Fatal": {
			reason:   "A Fatal ends the pipeline.",
			pipeline: step("script"),
			answer: func(_ *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) {
				response.Fatal(rsp, errors.New("no GPU"))
			},
			err:   "cannot run step it: fatal result: no GPU",
			fatal: true,
		},
		"Unstable": {
			reason:   "Requirements that never come to rest end the pipeline.",
			pipeline: step("script"),
			answer: func(_ *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) {
				calls++
				rsp.Requirements = &fnv1.Requirements{Resources: map[string]*fnv1.ResourceSelector{strconv.Itoa(calls): {Kind: "Queue"}}}
			},
			err: "cannot run step it: requirements didn't stabilize after the maximum number of iterations (5)",
		},
		"NoFunction": {
			reason:   "A step whose function does not run is named.",
			pipeline: step("other"),
			err:      "no function other for step it",
		},
		"Restless": {
			reason:   "A graph that changes with every reconcile is no graph to measure with.",
			pipeline: step("script"),
			answer: func(_ *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) {
				calls++
				rsp.Desired = &fnv1.State{Composite: &fnv1.Resource{Resource: &structpb.Struct{Fields: map[string]*structpb.Value{
					"status": structpb.NewStructValue(resource.MustStructJSON(fmt.Sprintf(`{"count":%d}`, calls))),
				}}}}
			},
			err: "does not settle within 6 reconciles",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g := NewGraph(parsed(`{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment","metadata":{"name":"llama"},"spec":{}}`), nil)
			_, err := tc.pipeline.Settle(t.Context(), g, InProcess(map[string]fnv1.FunctionRunnerServiceServer{"script": script{answer: tc.answer}}))
			if !failsWith(err, tc.err) || errors.Is(err, ErrFatal) != tc.fatal {
				t.Errorf("%s\nSettle(...): want error %q (fatal: %t), got %v", tc.reason, tc.err, tc.fatal, err)
			}
		})
	}
}

// TestReconcileFatal shows that a reconcile contains the response of the function that refuses a graph, and that no other function is
// called.
func TestReconcileFatal(t *testing.T) {
	refuses := script{answer: func(_ *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) {
		response.Fatal(rsp, errors.New("no GPU"))
	}}
	p := &Pipeline{Steps: []Step{{Step: pipeline.Step{Name: "it"}, Function: "script"}, {Step: pipeline.Step{Name: "next"}, Function: "script"}}}
	g := NewGraph(parsed(`{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment","metadata":{"name":"llama"},"spec":{}}`), nil)
	got, err := p.Reconcile(t.Context(), g, InProcess(map[string]fnv1.FunctionRunnerServiceServer{"script": refuses}))
	if !errors.Is(err, ErrFatal) || len(got.Calls) != 1 || len(got.Calls[0].Response.GetResults()) != 1 {
		t.Errorf("Reconcile(...): want ErrFatal and the answer of the first step, got %v and %v", got, err)
	}
}

func parsed(text string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: resource.MustStructJSON(text).AsMap()}
}
