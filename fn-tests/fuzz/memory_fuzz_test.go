package fuzz

import (
	"context"
	"flag"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pipeline"
)

// A budget is the number of bytes that one call may allocate in total. Less than that is in memory at any time.
type budget struct {
	// always is allowed for any request: the objects of a graph take up to the 4 MiB that Crossplane accepts, which may be 200,000
	// values.
	always uint64
	// each byte of the request. A container of a few bytes in a manifest is a typed container of more than a kilobyte.
	each uint64
}

func (b budget) of(req *fnv1.RunFunctionRequest) uint64 {
	return b.always + b.each*uint64(proto.Size(req)) //nolint:gosec // A size is not negative.
}

// budgets of the functions that read a graph first. The fused function also composes its objects.
var budgets = map[string]budget{
	"plan":  {always: 64 << 20, each: 128},
	"graph": {always: 192 << 20, each: 192},
}

// maxInflated is the size up to which manifests are tried. It is larger than what etcd stores. It is smaller while fuzzing, because
// the code is instrumented then, and Go kills a fuzzing process that takes ten seconds for one input.
// https://github.com/golang/go/blob/go1.26.0/src/testing/fuzz.go
func maxInflated() int {
	if worker := flag.Lookup("test.fuzzworker"); worker != nil && worker.Value.String() == "true" {
		return 128 << 10
	}
	return 2 << 20
}

// metered is a function that has a budget.
type metered struct {
	fnv1.FunctionRunnerServiceServer

	t      *testing.T
	name   string
	budget budget
	script []byte
}

// measurements is how often one call is measured at most. Allocations of other goroutines can only increase a measurement.
const measurements = 3

// RunFunction runs the function, and fails the test if it exceeds its budget in every measurement.
func (m *metered) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	allowed := m.budget.of(req)
	for i := 1; ; i++ {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		rsp, err := m.FunctionRunnerServiceServer.RunFunction(ctx, req)
		runtime.ReadMemStats(&after)
		allocated := after.TotalAlloc - before.TotalAlloc
		if allocated <= allowed {
			return rsp, err
		}
		if i == measurements {
			m.t.Errorf("function %s allocates %d bytes for a request of %d bytes, and may allocate %d: program %v",
				m.name, allocated, proto.Size(req), allowed, m.script)
			return rsp, err
		}
	}
}

// FuzzMemory checks that the memory that a graph needs is limited by its size: step plan, which reads it first, and the fused
// function are called with manifests that a program inflates, before and after their objects exist. Otherwise one tenant could
// make the process run out of memory, and stop the graphs of all others.
func FuzzMemory(f *testing.F) {
	debug.SetGCPercent(400) // A run makes much garbage, and little else.
	e, in := newEnvironment(f), newInflater(f)
	servers := crossplane.Servers(logging.NewNopLogger())
	for i, seed := range inflatedSeeds() {
		// All seeds are tests. Where fuzzing begins with them, few are enough.
		if testing.Short() && i%16 != 0 {
			continue
		}
		cluster := byte(i % len(clusters)) //nolint:gosec // There are five.
		f.Add(slices.Concat([]byte{cluster, 1, 0}, seed))
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		p := &program{bytes: script}
		w := e.cluster(p)
		tree := in.inflate(p)
		g, ok := newGraph(tree)
		if !ok || proto.Size(g.xr) > maxInflated() {
			return
		}
		for _, name := range slices.Sorted(maps.Keys(budgets)) {
			m := &metered{FunctionRunnerServiceServer: servers[name], t: t, name: name, budget: budgets[name], script: script}
			call(t, m, w, g)
		}
		composed := g.after(call(t, servers["graph"], w, g))
		for _, name := range slices.Sorted(maps.Keys(budgets)) {
			m := &metered{FunctionRunnerServiceServer: servers[name], t: t, name: name, budget: budgets[name], script: script}
			call(t, m, w, composed)
		}
	})
}

// call a function as the only step of a pipeline.
func call(t *testing.T, function fnv1.FunctionRunnerServiceServer, w *cluster, g *graph) *answer {
	t.Helper()
	run, err := w.run(t.Context(), []pipeline.Step{{Name: "plan", Function: function}}, g)
	if err != nil {
		t.Fatal(err)
	}
	rsp := run.Last().Response
	a := &answer{desired: rsp.GetDesired(), steps: []stepAnswer{{response: withoutResources(rsp)}}}
	if a.desired == nil {
		a.desired = &fnv1.State{}
	}
	a.takeSecret()
	return a
}
