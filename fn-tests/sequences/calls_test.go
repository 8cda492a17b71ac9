package sequences

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/pipeline"
)

// calls of the function in the reconciles of a new graph.
type calls struct {
	// First is the reconcile that creates everything: one call asks which names are taken, and the next one composes.
	First int
	// Later are the reconciles that follow.
	Later int
}

// usualCalls of a graph.
func usualCalls() calls { return calls{First: 2, Later: 1} }

// moreCalls are the examples of which a platform answers in turn, at most so often.
func moreCalls() map[string]calls {
	return map[string]calls{
		// The kind of the topology depends on the version of Grove.
		"gb200":            {First: 3, Later: 1},
		"kubernetes-gang":  {First: 3, Later: 1},
		"topology":         {First: 3, Later: 1},
		"topology-graph":   {First: 3, Later: 1},
		"topology-service": {First: 3, Later: 1},
		// So does the name of an object on whether its kind is served.
		"endpoint-picker":    {First: 3, Later: 1},
		"failover-vllm":      {First: 3, Later: 1},
		"gpu-memory-service": {First: 3, Later: 1},
		// Step sshsecret asks once there is a plan.
		"trtllm-multinode": {First: 3, Later: 1},
		// Crossplane does not remember schemas that are required. These show that a kind is not served.
		"checkpoint-vllm": {First: 3, Later: 2},
		"autoscaling":     {First: 2, Later: 2},
		"scaling-adapter": {First: 2, Later: 2},
		"scaled-together": {First: 2, Later: 2},
	}
}

// remembering is a function as Crossplane calls it: with what it required last.
type remembering struct {
	pipeline.Function

	calls    int
	required map[string]*fnv1.ResourceSelector
}

func (r *remembering) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	rsp, err := r.Function.RunFunction(ctx, req)
	r.calls++
	r.required = rsp.GetRequirements().GetResources()
	return rsp, err
}

// TestCalls counts how often Crossplane calls the function for a new graph. Each call costs as much as all the work of a reconcile.
func TestCalls(t *testing.T) {
	most := map[string]calls{}
	for _, e := range harness.Examples(t) {
		name := strings.TrimSuffix(filepath.Base(e.XR), ".yaml")
		for _, cluster := range []string{"all", "grove-kai", "lws-volcano", "none"} {
			got := callsOf(t, e, "examples/cluster/"+cluster+".yaml")
			most[name] = calls{First: max(most[name].First, got.First), Later: max(most[name].Later, got.Later)}
		}
	}
	want := maps.Clone(most)
	for name := range want {
		want[name] = usualCalls()
	}
	maps.Copy(want, moreCalls())
	if diff := cmp.Diff(want, most); diff != "" {
		t.Errorf("calls of each example, on the cluster with most of them: -want, +got:\n%s", diff)
	}
}

// callsOf the fused function for an example in a cluster, or none if it is refused there.
func callsOf(t *testing.T, e harness.Example, cluster string) calls {
	t.Helper()
	p, err := crossplane.ReadPipeline(filepath.Join(harness.Root(), strings.TrimSuffix(e.Composition, ".yaml")+"-fused.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	p.Once = true
	f := &remembering{Function: crossplane.Direct(crossplane.Servers(logging.NewNopLogger()))["graph"]}
	g := crossplane.NewGraph(harness.Read(t, e.XR)[0], harness.Read(t, cluster))
	step := &p.Steps[0]
	declared := step.Required
	var all []int
	for range 3 {
		step.Required = maps.Clone(declared)
		maps.Copy(step.Required, f.required)
		f.calls = 0
		if _, err := p.Apply(t.Context(), g, crossplane.Functions{step.Function: f}); err != nil {
			return calls{}
		}
		all = append(all, f.calls)
	}
	return calls{First: all[0], Later: slices.Max(all[1:])}
}
