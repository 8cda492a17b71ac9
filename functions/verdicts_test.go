package functions

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane/function-sdk-go/logging"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/transition"
)

// verdictsOf all calls of a reconcile.
func verdictsOf(r *crossplane.Reconcile) []transition.Transition {
	var verdicts []transition.Transition
	for _, call := range r.Calls {
		verdicts = append(verdicts, transition.New(call.Request, call.Response)...)
	}
	return verdicts
}

// TestVerdicts tests that the steps of a new graph give each verdict once, and that a graph at rest gets none.
func TestVerdicts(t *testing.T) {
	functions := crossplane.InProcess(crossplane.Servers(logging.NewNopLogger()))
	for _, composition := range []string{harness.Composition, "compositions/dynamographdeployment-fused.yaml"} {
		for _, cluster := range []string{harness.GroveKAI, harness.LWSVolcano} {
			t.Run(filepath.Base(composition)+" on "+filepath.Base(cluster), func(t *testing.T) {
				pipeline, err := crossplane.ReadPipeline(filepath.Join(harness.Root(), composition))
				if err != nil {
					t.Fatal(err)
				}
				graph := harness.Read(t, filepath.Join("examples", "disagg-vllm.yaml"))[0]
				first, err := pipeline.Apply(t.Context(), crossplane.NewLiveGraph(graph, harness.Read(t, cluster)), functions)
				if err != nil {
					t.Fatal(err)
				}
				want := []transition.Transition{
					{Condition: "Accepted", Status: "True", Reason: "Valid"},
					{Condition: "ServicesReady", Status: "False", Reason: "some_resources_are_not_ready"},
				}
				if diff := cmp.Diff(want, verdictsOf(first)); diff != "" {
					t.Errorf("verdicts on a new graph: -want, +got:\n%s", diff)
				}
				settled, err := pipeline.Settle(t.Context(), crossplane.NewGraph(graph, harness.Read(t, cluster)), functions)
				if err != nil {
					t.Fatal(err)
				}
				if got := verdictsOf(settled); len(got) > 0 {
					t.Errorf("want no verdict on a graph at rest, got %v", got)
				}
			})
		}
	}
}
