package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/bench/process"
)

// A chain of processes, and the requests that each gets in one pass.
type chain struct {
	functions group
	requests  []*fnv1.RunFunctionRequest
}

// A sample is what some passes of a chain took.
type sample struct {
	passes int
	// cpu time of all functions together, of all passes.
	cpu time.Duration
	// wall and steps are the time of one pass and of its calls, on average.
	wall  time.Duration
	steps []time.Duration
}

// pass requests through the chain so many times.
func (c *chain) pass(ctx context.Context, times int) (sample, error) {
	before, err := c.functions.cpu()
	if err != nil {
		return sample{}, err
	}
	out := sample{passes: times, steps: make([]time.Duration, len(c.requests))}
	for range times {
		for i, request := range c.requests {
			begin := time.Now()
			if err := call(ctx, c.functions[i], request); err != nil {
				return sample{}, err
			}
			out.steps[i] += time.Since(begin)
		}
	}
	after, err := c.functions.cpu()
	if err != nil {
		return sample{}, err
	}
	out.cpu = after - before
	for i := range out.steps {
		out.wall += out.steps[i]
		out.steps[i] /= time.Duration(times)
	}
	out.wall /= time.Duration(times)
	return out, nil
}

// call a function once.
func call(ctx context.Context, f *process.Function, request *fnv1.RunFunctionRequest) error {
	_, err := f.RunFunction(ctx, request)
	if err == nil {
		return nil
	}
	// A process that has ended tells more than that it cannot be reached.
	_, ended := f.Usage()
	return errors.Join(fmt.Errorf("cannot call function %s: %w", f.Name, err), ended)
}

// cpu time of all functions so far.
func (g group) cpu() (time.Duration, error) {
	var all time.Duration
	for _, f := range g {
		usage, err := f.Usage()
		if err != nil {
			return 0, err
		}
		all += usage.CPU
	}
	return all, nil
}

// A lane is a chain that is measured side by side with others, and its samples.
type lane struct {
	chain   chain
	samples []sample
}

const (
	// leastRuns that a median is taken of.
	leastRuns = 3
	// budget is the time after which the runs of a workload end, if there were leastRuns by then.
	budget = 20 * time.Second
)

// warmUp grows heaps and buffers, and returns how many passes fit into a slot.
func (c *chain) warmUp(ctx context.Context, slot time.Duration) (int, error) {
	first, err := c.pass(ctx, 1)
	if err != nil || first.wall >= slot {
		return 1, err
	}
	second, err := c.pass(ctx, int(slot/max(first.wall, time.Microsecond)))
	return max(1, int(slot/max(second.wall, time.Microsecond))), err
}

// interleave runs of all lanes, each time beginning with another one, so that whatever slows the machine slows them all.
func interleave(ctx context.Context, runs int, slot time.Duration, lanes ...*lane) error {
	passes := make([]int, len(lanes))
	for i, l := range lanes {
		fit, err := l.chain.warmUp(ctx, slot)
		if err != nil {
			return err
		}
		passes[i] = fit
	}
	begin := time.Now()
	for turn := range runs {
		if turn >= leastRuns && time.Since(begin) > budget {
			break
		}
		for i := range lanes {
			at := (turn + i) % len(lanes)
			// What was left behind by the run before is not collected at the expense of this one.
			runtime.GC()
			s, err := lanes[at].chain.pass(ctx, passes[at])
			if err != nil {
				return err
			}
			lanes[at].samples = append(lanes[at].samples, s)
		}
	}
	return nil
}
