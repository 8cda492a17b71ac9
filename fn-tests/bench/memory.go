package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/bench/process"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
)

const (
	// settling is how long a process is left alone before its memory counts as idle.
	settling = time.Second
	// concurrent calls of the fused function.
	concurrent = 100
)

// processes measures single processes: how they start, what they hold, and how large they are.
func (b *bench) processes(ctx context.Context, r *result) error {
	b.progressf("measuring single processes")
	if err := b.coldStarts(ctx, r); err != nil {
		return err
	}
	if err := b.memory(ctx, r); err != nil {
		return err
	}
	if err := b.concurrently(ctx, r); err != nil {
		return err
	}
	return b.sizes()
}

// subject is a kind of process, and a call of it.
type subject struct {
	name  string
	start func() (*process.Function, error)
	lane  *lane
}

// subjects are the first function of the chain, which does the most work of those that do not compose, the echo function in its
// place, and the fused one.
func (b *bench) subjects(r *result) []subject {
	first := b.pipeline.Steps[0].Function
	fused := b.fused.Steps[0].Function
	return []subject{
		{first, func() (*process.Function, error) { return b.startFunction(first) }, &r.chain},
		{"echo", b.startEcho, &r.echo},
		{fused + " (fused)", func() (*process.Function, error) { return b.startFunction(fused) }, &r.fused},
	}
}

// listening is a process that was started and listens.
func (s subject) listening(ctx context.Context) (*process.Function, error) {
	f, err := s.start()
	if err != nil {
		return nil, err
	}
	if err := f.Listening(ctx); err != nil {
		f.Stop()
		return nil, err
	}
	return f, nil
}

// call the process once as in a pass.
func (s subject) call(ctx context.Context, f *process.Function) error {
	return call(ctx, f, s.lane.chain.requests[0])
}

// coldStarts measures how long it takes from the start of a process to its first answer.
func (b *bench) coldStarts(ctx context.Context, r *result) error {
	rows := [][]string{{"function", "ms"}}
	for _, s := range b.subjects(r) {
		var times []time.Duration
		for range b.effort.starts {
			took, err := coldStart(ctx, s)
			if err != nil {
				return err
			}
			times = append(times, took)
		}
		rows = append(rows, []string{s.name, milliseconds(medianNumber(times))})
	}
	b.table(fmt.Sprintf("From the start of a process to its first answer, median of %d", b.effort.starts), rows)
	return nil
}

func coldStart(ctx context.Context, s subject) (time.Duration, error) {
	begin := time.Now()
	f, err := s.listening(ctx)
	if err != nil {
		return 0, err
	}
	defer f.Stop()
	if err := s.call(ctx, f); err != nil {
		return 0, err
	}
	return time.Since(begin), nil
}

// memory of a process that was not called yet, and after calls.
func (b *bench) memory(ctx context.Context, r *result) error {
	some := b.effort.calls / 10
	rows := [][]string{{
		"function", "idle RSS MB", "of which anonymous", fmt.Sprintf("RSS after %d calls", some), fmt.Sprintf("after %d", b.effort.calls), "peak", "idle/echo",
	}}
	var usages [][]controlplane.Usage
	for _, s := range b.subjects(r) {
		u, err := b.memoryOf(ctx, s, some)
		if err != nil {
			return err
		}
		usages = append(usages, u)
	}
	echo := usages[1]
	for i, s := range b.subjects(r) {
		u := usages[i]
		rows = append(rows, []string{
			s.name, megabytes(u[0].RSS), megabytes(u[0].Anonymous), megabytes(u[1].RSS), megabytes(u[2].RSS), megabytes(u[2].PeakRSS),
			ratio(float64(u[0].RSS) / float64(echo[0].RSS)),
		})
	}
	b.table("Resident memory of one process, called with the "+r.workload.name, rows)
	return nil
}

// memoryOf a process before any call, after some and after all.
func (b *bench) memoryOf(ctx context.Context, s subject, some int) ([]controlplane.Usage, error) {
	f, err := s.listening(ctx)
	if err != nil {
		return nil, err
	}
	defer f.Stop()
	var out []controlplane.Usage
	done := 0
	for _, calls := range []int{0, some, b.effort.calls} {
		for ; done < calls; done++ {
			if err := s.call(ctx, f); err != nil {
				return nil, err
			}
		}
		time.Sleep(settling)
		u, err := f.Usage()
		if err != nil {
			return nil, err
		}
		out = append(out, u)
	}
	return out, nil
}

// concurrently calls the fused function many times.
func (b *bench) concurrently(ctx context.Context, r *result) error {
	fused := b.subjects(r)[2]
	f, err := fused.listening(ctx)
	if err != nil {
		return err
	}
	defer f.Stop()
	begin := time.Now()
	each := b.effort.calls / 10 / concurrent
	calls, callsCtx := errgroup.WithContext(ctx)
	for range concurrent {
		calls.Go(func() error {
			for range each {
				if err := fused.call(callsCtx, f); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := calls.Wait(); err != nil {
		return err
	}
	took := time.Since(begin)
	u, err := f.Usage()
	if err != nil {
		return err
	}
	b.table(fmt.Sprintf("The fused function under %d calls at once, of the %s", concurrent, r.workload.name), [][]string{
		{"calls", "calls per s", "peak RSS MB"},
		{strconv.Itoa(each * concurrent), fmt.Sprintf("%.0f", float64(each*concurrent)/took.Seconds()), megabytes(u.PeakRSS)},
	})
	return nil
}
