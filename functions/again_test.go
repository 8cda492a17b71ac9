package functions

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/managed"
)

// report is what a reconcile leads Crossplane to write to the status.
type report struct {
	Status     *structpb.Struct
	Conditions map[string]*fnv1.Condition
	Ready      map[string]fnv1.Ready
}

func reportOf(r *crossplane.Reconcile) report {
	s := report{Status: r.Desired().GetComposite().GetResource(), Conditions: map[string]*fnv1.Condition{}, Ready: map[string]fnv1.Ready{}}
	for _, call := range r.Calls {
		for _, c := range call.Response.GetConditions() {
			// Once there are pods, a warning may say that it is too late for what it advised before.
			if c.GetReason() != "ValidWithWarnings" {
				s.Conditions[c.GetType()] = c
			}
		}
	}
	for key, resource := range r.Desired().GetResources() {
		s.Ready[key] = resource.GetReady()
	}
	return s
}

// TestSaysTheSameAgain tests that the reconcile which follows the first has nothing to write while no controller has done anything
// yet: what it writes leads to one more reconcile of every new graph, and that may begin before Crossplane's cache has what was
// written, and so write it back.
func TestSaysTheSameAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("functions that are called one after the other have no races, and are slow with the race detector")
	}
	functions := crossplane.InProcess(crossplane.Servers(logging.NewNopLogger()))
	for _, e := range harness.Examples(t) {
		for _, cluster := range []string{harness.GroveKAI, harness.LWSVolcano} {
			t.Run(e.Name+" on "+filepath.Base(cluster), func(t *testing.T) {
				pipeline, err := crossplane.ReadPipeline(filepath.Join(harness.Root(), e.Composition))
				if err != nil {
					t.Fatal(err)
				}
				g := crossplane.NewLiveGraph(harness.Read(t, e.XR)[0], harness.Read(t, cluster))
				first, err := pipeline.Apply(t.Context(), g, functions)
				if err != nil {
					t.Skipf("not a graph for this cluster: %v", err)
				}
				for _, key := range g.Composed() {
					delete(g.Object(key).Object, "status")
				}
				second, err := pipeline.Reconcile(t.Context(), g, functions)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(reportOf(first), reportOf(second), protocmp.Transform()); diff != "" {
					t.Errorf("-first reconcile, +second:\n%s", diff)
				}
			})
		}
	}
}

// TestDecodedLater tests that a function answers the same whether the managed fields of its request are decoded at once or only
// when it asks for them, as they are where it is served.
func TestDecodedLater(t *testing.T) {
	if testing.Short() {
		t.Skip("functions that are called one after the other have no races, and are slow with the race detector")
	}
	functions := crossplane.InProcess(crossplane.Servers(logging.NewNopLogger()))
	pipeline, err := crossplane.ReadPipeline(filepath.Join(harness.Root(), harness.Composition))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"disagg-vllm", "autoscaling", "trtllm-multinode"} {
		for _, cluster := range []string{harness.GroveKAI, harness.LWSVolcano} {
			graph := harness.Read(t, filepath.Join("examples", name+".yaml"))[0]
			settled, err := pipeline.Settle(t.Context(), crossplane.NewGraph(graph, harness.Read(t, cluster)), functions)
			if err != nil {
				t.Fatalf("%s on %s: %v", name, cluster, err)
			}
			for i, call := range settled.Calls {
				data, err := proto.Marshal(call.Request)
				if err != nil {
					t.Fatal(err)
				}
				managed.Defer(data)
				later := &fnv1.RunFunctionRequest{}
				if err := proto.Unmarshal(data, later); err != nil {
					t.Fatal(err)
				}
				got, err := functions[pipeline.Steps[i].Function].RunFunction(t.Context(), later)
				if err != nil {
					t.Fatal(err)
				}
				// Whether the graph has changed of late depends on the clock.
				if diff := cmp.Diff(call.Response, got, protocmp.Transform(), protocmp.IgnoreFields(&fnv1.ResponseMeta{}, "ttl")); diff != "" {
					t.Errorf("%s on %s, step %s: -decoded at once, +later:\n%s", name, cluster, call.Step, diff)
				}
			}
		}
	}
}
