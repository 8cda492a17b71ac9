package main

import (
	"context"
	"fmt"
	"runtime"
	"time"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// warmUp is how often each chain passes before it is measured.
const warmUp = 5

// A chain of processes, and the requests that each gets in one pass.
type chain struct {
	functions group
	requests  []*fnv1.RunFunctionRequest
}

// A sample is what some passes of a chain took, each on average.
type sample struct {
	wall time.Duration
	cpu  time.Duration
	// steps is the part of each.
	steps []time.Duration
}

// pass requests through the chain so many times.
func (c *chain) pass(ctx context.Context, times int) (sample, error) {
	before, err := c.functions.cpu()
	if err != nil {
		return sample{}, err
	}
	out := sample{steps: make([]time.Duration, len(c.requests))}
	for range times {
		for i, request := range c.requests {
			begin := time.Now()
			if _, err := c.functions[i].RunFunction(ctx, request); err != nil {
				return sample{}, fmt.Errorf("cannot call function %s: %w", c.functions[i].Name, err)
			}
			out.steps[i] += time.Since(begin)
		}
	}
	after, err := c.functions.cpu()
	if err != nil {
		return sample{}, err
	}
	for i := range out.steps {
		out.wall += out.steps[i]
		out.steps[i] /= time.Duration(times)
	}
	out.wall /= time.Duration(times)
	out.cpu = (after - before) / time.Duration(times)
	return out, nil
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

// interleave runs of all lanes, each time beginning with another one, so that whatever slows the machine slows them all.
func interleave(ctx context.Context, runs int, slot time.Duration, lanes ...*lane) error {
	passes := make([]int, len(lanes))
	for i, l := range lanes {
		warm, err := l.chain.pass(ctx, warmUp)
		if err != nil {
			return err
		}
		passes[i] = max(1, int(slot/max(warm.wall, time.Microsecond)))
	}
	for turn := range runs {
		for i := range lanes {
			at := (turn + i) % len(lanes)
			// What Crossplane's part left behind is not collected at the expense of the next.
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
