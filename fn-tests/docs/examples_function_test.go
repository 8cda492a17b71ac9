package docs

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/pipeline"
)

const (
	ownComposition = "examples/own-function/composition.yaml"
	// ownStep and ownFunction are the step of the platform in this Composition, and what it calls.
	ownStep     = "budgets"
	ownFunction = "function-frontend-budgets"
)

func compositionOf(t *testing.T, path string) *pipeline.Composition {
	t.Helper()
	c, err := pipeline.CompositionOf(harness.Read(t, path)[0])
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestOwnComposition checks that the Composition has one step more than that of this project.
func TestOwnComposition(t *testing.T) {
	own, shipped := compositionOf(t, ownComposition), compositionOf(t, harness.Composition)
	var others []pipeline.CompositionStep
	for _, s := range own.Spec.Pipeline {
		if s.Step != ownStep {
			others = append(others, s)
		}
	}
	if diff := cmp.Diff(shipped.Spec.Pipeline, others); diff != "" {
		t.Errorf("all other steps: -%s, +%s:\n%s", harness.Composition, ownComposition, diff)
	}
	if diff := cmp.Diff(shipped.Spec.CompositeTypeRef, own.Spec.CompositeTypeRef); diff != "" {
		t.Errorf("kind: -%s, +%s:\n%s", harness.Composition, ownComposition, diff)
	}
}

// TestOwnFunction runs the pipeline with the function in a process of its own, as in a cluster. It adds the budgets of frontends, and
// changes nothing else, on each orchestrator.
func TestOwnFunction(t *testing.T) {
	own := serve(t)
	for _, name := range []string{"disagg-vllm", "endpoint-picker", "trtllm-multinode"} {
		for _, cluster := range []string{"grove-kai", "lws-volcano"} {
			t.Run(name+"-on-"+cluster, func(t *testing.T) {
				with, without := desired(t, ownComposition, name, cluster, own), desired(t, harness.Composition, name, cluster, own)
				const key = "example-budget-frontend"
				checkBudget(t, without["service-frontend"], with[key])
				delete(with, key)
				if diff := cmp.Diff(objectsOf(without), objectsOf(with)); diff != "" {
					t.Errorf("other objects: -without the function, +with it:\n%s", diff)
				}
			})
		}
	}
}

// checkBudget of a frontend. A graph without one has none.
func checkBudget(t *testing.T, component, budget *fnv1.Resource) {
	t.Helper()
	if component == nil {
		if budget != nil {
			t.Errorf("want no budget, got %v", budget)
		}
		return
	}
	selector, _, err := unstructured.NestedMap(fieldsOf(component), "spec", "selector")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"maxUnavailable": 1.0, "selector": map[string]any{"matchLabels": selector}}
	if diff := cmp.Diff(want, fieldsOf(budget)["spec"]); diff != "" {
		t.Errorf("budget: -want, +got:\n%s", diff)
	}
	if budget.GetReady() != fnv1.Ready_READY_TRUE {
		t.Errorf("want step status to determine that the budget of a new graph is ready, got %v", budget.GetReady())
	}
}

// serve the function in a process of its own.
func serve(t *testing.T) pipeline.Function {
	t.Helper()
	harness.WatchSources(t)
	binary := filepath.Join(t.TempDir(), "own-function")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "./examples/own-function")
	build.Dir = harness.Root()
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("cannot build the function: %v\n%s", err, out)
	}
	return harness.Serve(t, binary, "-insecure")
}

// desired objects of a new graph, by key.
func desired(t *testing.T, composition, example, cluster string, own pipeline.Function) map[string]*fnv1.Resource {
	t.Helper()
	functions := map[string]pipeline.Function{ownFunction: own}
	for name, server := range crossplane.Servers(logging.NewNopLogger()) {
		functions["dynamo-crossplane-function-dynamo-"+name] = pipeline.OverTheWire(server)
	}
	steps, err := compositionOf(t, composition).Steps(functions)
	if err != nil {
		t.Fatal(err)
	}
	xr := harness.Read(t, filepath.Join("examples", example+".yaml"))[0]
	xr.SetUID("6f1c2d3e-0000-4000-8000-000000000001")
	observed, err := resource.AsStruct(xr)
	if err != nil {
		t.Fatal(err)
	}
	var objects pipeline.Objects
	objects = append(objects, harness.Read(t, filepath.Join("examples", "cluster", cluster+".yaml"))...)
	state := &fnv1.State{Composite: &fnv1.Resource{Resource: observed}}
	run, err := pipeline.Crossplane().Run(t.Context(), steps, state, nil, objects)
	if err != nil {
		t.Fatal(err)
	}
	last := run.Calls[len(run.Calls)-1]
	if fatal := pipeline.Fatal(last.Response); fatal != nil {
		t.Fatalf("step %s: %s", last.Step, fatal.GetMessage())
	}
	return last.Response.GetDesired().GetResources()
}

func fieldsOf(r *fnv1.Resource) map[string]any { return r.GetResource().AsMap() }

// objectsOf a desired state without the values of Secrets, which are random.
func objectsOf(resources map[string]*fnv1.Resource) map[string]any {
	objects := map[string]any{}
	for key, r := range resources {
		object := fieldsOf(r)
		if object["kind"] == "Secret" {
			delete(object, "data")
		}
		objects[key] = object
	}
	return objects
}
