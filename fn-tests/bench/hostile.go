package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/bench/process"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
)

const (
	// hostileGraphs of a tenant, each with so many workers and command lines of so many kilobytes.
	hostileGraphs, hostileWorkers, hostileLength = 20, 1, 60

	// ordinaryCalls are measured, beside neighbors that call again after a pause.
	ordinaryCalls = 200
	pause         = time.Second
	// ordinaryPerPause is how many of them there are in one pause.
	ordinaryPerPause = 20

	// mostSlowdown of ordinary graphs beside hostile ones.
	mostSlowdown = 2
)

// besideHostile calls the fused function with an ordinary graph, while a tenant has graphs whose command lines cost much to read, and while
// it has as many ordinary ones instead. It fails if the median of the ordinary calls is more than twice as long.
func (b *bench) besideHostile(ctx context.Context) error {
	fused, err := b.startFused(ctx)
	if err != nil {
		return err
	}
	defer fused.stop()
	ordinaryGraph, err := leaderWorkerSets(1, 1)
	if err != nil {
		return err
	}
	ordinary, err := b.requestOf(ctx, fused, ordinaryGraph)
	if err != nil {
		return err
	}
	hostile, err := b.requestOf(ctx, fused, quotes(hostileWorkers, hostileLength))
	if err != nil {
		return err
	}
	rows := [][]string{{"neighbors", "median ms", "slowest ms"}}
	var medians []time.Duration
	for _, neighbors := range []struct {
		name    string
		request *fnv1.RunFunctionRequest
	}{{"ordinary", ordinary}, {"hostile", hostile}} {
		b.progressf("calling %s beside %d %s graphs", b.fused.Steps[0].Function, hostileGraphs, neighbors.name)
		times, err := beside(ctx, fused[0], ordinary, neighbors.request)
		if err != nil {
			return fmt.Errorf("beside %s graphs: %w", neighbors.name, err)
		}
		medians = append(medians, medianNumber(times))
		rows = append(rows, []string{neighbors.name, milliseconds(medianNumber(times)), milliseconds(slices.Max(times))})
	}
	b.table(fmt.Sprintf("%d calls of an ordinary graph beside %d others", ordinaryCalls, hostileGraphs), rows)
	if medians[1] > mostSlowdown*medians[0] {
		return fmt.Errorf("ordinary graphs take %s ms beside hostile ones, more than %d times as long as beside ordinary ones", milliseconds(medians[1]), mostSlowdown)
	}
	return nil
}

// requestOf a graph that exists, to the fused function.
func (b *bench) requestOf(ctx context.Context, fused group, manifest *unstructured.Unstructured) (*fnv1.RunFunctionRequest, error) {
	graph := crossplane.NewGraph(manifest, b.cluster)
	settled, err := b.fused.Settle(ctx, graph, fused.byName(b.fused))
	if err != nil {
		return nil, fmt.Errorf("cannot create graph %s: %w", manifest.GetName(), err)
	}
	return settledRequests(settled)[0], nil
}

// beside neighbors, how long each call with an ordinary request takes.
func beside(ctx context.Context, f *process.Function, ordinary, neighbor *fnv1.RunFunctionRequest) ([]time.Duration, error) {
	neighborsCtx, stop := context.WithCancel(ctx)
	defer stop()
	neighbors := errgroup.Group{}
	for range hostileGraphs {
		neighbors.Go(func() error { return callUntil(neighborsCtx, f, neighbor) })
	}
	times := make([]time.Duration, 0, ordinaryCalls)
	for range ordinaryCalls {
		begin := time.Now()
		if err := call(ctx, f, ordinary); err != nil {
			return nil, err
		}
		times = append(times, time.Since(begin))
		time.Sleep(pause / ordinaryPerPause)
	}
	stop()
	return times, neighbors.Wait()
}

// callUntil the context ends, with a pause after each call.
func callUntil(ctx context.Context, f *process.Function, request *fnv1.RunFunctionRequest) error {
	for ctx.Err() == nil {
		if err := call(ctx, f, request); err != nil && ctx.Err() == nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
	return nil
}
