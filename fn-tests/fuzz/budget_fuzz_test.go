package fuzz

import (
	"context"
	"flag"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/pipeline"
)

// A budget is what one call may use.
type budget struct {
	// always is allowed for any request: the objects of a graph take up to the 4 MiB that Crossplane accepts, which may be 200,000
	// values.
	always usage
	// each byte of the request. A container of a few bytes in a manifest is a typed container of more than a kilobyte.
	each usage
}

// usage of a call.
type usage struct {
	// bytes that are allocated in total. Less than that is in memory at any time.
	bytes uint64
	// processor time. It is not measured on every system.
	processor time.Duration
}

// of what is read.
func (b budget) of(size int) usage {
	allowed := usage{
		bytes:     b.always.bytes + b.each.bytes*uint64(size), //nolint:gosec // A size is not negative.
		processor: b.always.processor + b.each.processor*time.Duration(size),
	}
	if isFuzzing() {
		allowed.processor *= instrumented
	}
	return allowed
}

// within a budget.
func (u usage) within(allowed usage) bool {
	return u.bytes <= allowed.bytes && u.processor <= allowed.processor
}

// budgets of the functions that read a graph first. The fused function also composes its objects. An ordinary graph takes a hundredth of the
// processor time. Work that grows with the square of a text exceeds it: 75 kB of quotes once took three seconds.
var budgets = map[string]budget{
	"plan":  {always: usage{64 << 20, time.Second / 2}, each: usage{128, 4 * time.Microsecond}},
	"graph": {always: usage{192 << 20, time.Second}, each: usage{192, 6 * time.Microsecond}},
}

// commandBudgets of the commands that read what users have written, in a pipeline or for all graphs of a cluster. Adoption runs the fused function
// until nothing changes.
var commandBudgets = map[string]budget{
	"convert": {always: usage{64 << 20, time.Second / 2}, each: usage{4096, 20 * time.Microsecond}},
	"adopt":   {always: usage{1 << 30, 4 * time.Second}, each: usage{1024, 24 * time.Microsecond}},
	"why":     {always: usage{64 << 20, time.Second / 2}, each: usage{1024, 10 * time.Microsecond}},
}

// instrumented code, which a fuzzer runs, takes this many times as long at most.
const instrumented = 8

// isFuzzing reports whether this process runs the inputs that a fuzzer makes up.
func isFuzzing() bool {
	worker := flag.Lookup("test.fuzzworker")
	return worker != nil && worker.Value.String() == "true"
}

// maxInflated is the size up to which manifests are tried. It is larger than what etcd stores. It is smaller while fuzzing, because
// the code is instrumented then, and Go kills a fuzzing process that takes ten seconds for one input.
// https://github.com/golang/go/blob/go1.26.0/src/testing/fuzz.go
func maxInflated() int {
	if isFuzzing() {
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

// measurements is how often one call is measured at most. Other goroutines and processes can only increase a measurement.
const measurements = 3

// RunFunction runs the function, and fails the test if it exceeds its budget in every measurement.
func (m *metered) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	var rsp *fnv1.RunFunctionResponse
	var err error
	m.spend(proto.Size(req), func() { rsp, err = m.FunctionRunnerServiceServer.RunFunction(ctx, req) })
	return rsp, err
}

// spend no more than the budget for what is read, in one of several measurements.
func (m *metered) spend(size int, call func()) {
	// A call is one goroutine, so that the time of its thread is that of the call, without the garbage collector.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	allowed := m.budget.of(size)
	for i := 1; ; i++ {
		used := measure(call)
		if used.within(allowed) {
			return
		}
		if i == measurements {
			m.t.Errorf("%s allocates %d bytes and takes %s of processor time for %d bytes, and may allocate %d and take %s: program %v",
				m.name, used.bytes, used.processor, size, allowed.bytes, allowed.processor, m.script)
			return
		}
	}
}

// measure a call.
func measure(call func()) usage {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	started := processorTime()
	call()
	took := processorTime() - started
	runtime.ReadMemStats(&after)
	return usage{bytes: after.TotalAlloc - before.TotalAlloc, processor: took}
}

// FuzzBudget checks that the memory and the processor time that a graph needs are limited by its size: step plan, which reads it first, and
// the fused function are called with manifests that a program inflates, before and after their objects exist. Otherwise one tenant could
// make the process run out of memory, or keep it busy, and stop the graphs of all others. Commands convert the manifest, adopt the graph with its
// objects, and say why they are not ready.
func FuzzBudget(f *testing.F) {
	debug.SetGCPercent(400) // A run makes much garbage, and little else.
	e, in := newEnvironment(f), newInflater(f)
	adoption := newAdoption(f)
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
		live := liveObjects(t, composed)
		calls := map[string]func(){
			"convert": func() { convertBoth(t, live[0].Object) },
			"adopt":   func() { adoption.adopt(t, live) },
			"why":     func() { explain(t, live) },
		}
		for _, name := range slices.Sorted(maps.Keys(calls)) {
			m := &metered{t: t, name: name, budget: commandBudgets[name], script: script}
			m.spend(sizeOf(t, live), calls[name])
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
	rsp := run.Calls[0].Response
	a := &answer{desired: rsp.GetDesired(), steps: []stepAnswer{{response: withoutResources(rsp)}}}
	if a.desired == nil {
		a.desired = &fnv1.State{}
	}
	a.takeSecret()
	return a
}
