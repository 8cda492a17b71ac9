package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/protobuf/proto"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
)

// A result is what was measured with one workload.
type result struct {
	workload workload
	// objects that are composed.
	objects int
	// request and response are the sizes of the largest messages, in bytes.
	request, response int
	// chain and echo get the same requests, which hold all that is required; fused gets one.
	chain, echo, fused lane
	// loop is the chain called by a Crossplane that does not remember what was required.
	loop lane
	// template has a single request. Without option template, it has no samples.
	template lane
}

// measureAll workloads.
func (b *bench) measureAll(ctx context.Context, workloads []workload, runs int) ([]*result, error) {
	var out []*result
	for _, w := range workloads {
		b.progressf("measuring %s", w.name)
		r, err := b.measure(ctx, w, runs)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.name, err)
		}
		out = append(out, r)
	}
	return out, nil
}

// measure one workload, with processes of its own: a heap that another workload made large would be collected less often.
func (b *bench) measure(ctx context.Context, w workload, runs int) (*result, error) {
	functions, err := b.startChain(ctx)
	if err != nil {
		return nil, err
	}
	defer functions.stop()
	echo, err := b.startEchoes(ctx)
	if err != nil {
		return nil, err
	}
	defer echo.stop()
	fused, err := b.startFused(ctx)
	if err != nil {
		return nil, err
	}
	defer fused.stop()

	graph := crossplane.NewGraph(w.graph, b.cluster)
	settled, err := b.pipeline.Settle(ctx, graph, functions.byName(b.pipeline))
	if err != nil {
		return nil, err
	}
	atOnce, err := b.fused.Reconcile(ctx, graph, fused.byName(b.fused))
	if err != nil {
		return nil, err
	}
	if !proto.Equal(settled.Desired(), atOnce.Desired()) {
		return nil, errors.New("the fused function desires something else than the chain")
	}

	r := newResult(w, settled)
	r.chain.chain = chain{functions, settledRequests(settled)}
	r.echo.chain = chain{echo, settledRequests(settled)}
	r.fused.chain = chain{fused, settledRequests(atOnce)}
	r.loop.chain = loopOf(functions, settled)
	lanes := []*lane{&r.chain, &r.echo, &r.fused, &r.loop}
	if b.options.template != "" {
		if r.template.chain, err = b.startTemplate(ctx, settled); err != nil {
			return nil, err
		}
		defer r.template.chain.functions.stop()
		lanes = append(lanes, &r.template)
	}
	return r, interleave(ctx, runs, b.effort.slot, lanes...)
}

func newResult(w workload, settled *crossplane.Reconcile) *result {
	r := &result{workload: w, objects: len(settled.Desired().GetResources())}
	for _, call := range settled.Calls {
		r.request = max(r.request, proto.Size(call.Request))
		r.response = max(r.response, proto.Size(call.Response))
	}
	return r
}

// settledRequests are one for each step.
func settledRequests(r *crossplane.Reconcile) []*fnv1.RunFunctionRequest {
	var out []*fnv1.RunFunctionRequest
	for _, call := range r.Calls {
		out = append(out, call.Request)
	}
	return out
}

// loopOf a chain: some functions are called more than once.
func loopOf(functions group, r *crossplane.Reconcile) chain {
	out := chain{}
	for i, call := range r.Calls {
		for _, request := range call.Loop {
			out.functions = append(out.functions, functions[i])
			out.requests = append(out.requests, request)
		}
	}
	return out
}

// wall is the median time of a pass.
func (l *lane) wall() time.Duration { return medianNumber(l.walls()) }

func (l *lane) walls() []time.Duration {
	return collect(l.samples, func(s sample) time.Duration { return s.wall })
}

// cpu time of a pass: the mean, because a run is not much longer than what CPU times are counted in.
func (l *lane) cpu() time.Duration {
	var all time.Duration
	passes := 0
	for _, s := range l.samples {
		all += s.cpu
		passes += s.passes
	}
	return all / time.Duration(max(1, passes))
}

// step is the median time of one step.
func (l *lane) step(i int) time.Duration {
	return medianNumber(collect(l.samples, func(s sample) time.Duration { return s.steps[i] }))
}

// over another lane: the median of the ratios of the runs that were made in one turn.
func (l *lane) over(other *lane) float64 { return medianNumber(ratios(l.walls(), other.walls())) }

func collect[T, V any](list []T, value func(T) V) []V {
	out := make([]V, 0, len(list))
	for _, element := range list {
		out = append(out, value(element))
	}
	return out
}
