package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/bench/process"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// Files of the repository that are measured with.
const (
	chainComposition = "compositions/dynamographdeployment.yaml"
	fusedComposition = "compositions/dynamographdeployment-fused.yaml"
	clusterFixture   = "examples/cluster/all.yaml"
)

// bench is what all measurements share.
type bench struct {
	options options
	effort  effort
	begin   time.Time
	// out gets the results, and err what is being done.
	out, err io.Writer

	// functions and static are the paths of the binaries. Without a response, static only copies.
	functions, static string
	certificates      *process.Certificates
	folder            string

	pipeline, fused *crossplane.Pipeline
	cluster         []*unstructured.Unstructured
}

func newBench(ctx context.Context, o options, std streams) (*bench, error) {
	binaries := filepath.Join(harness.Root(), ".cache", "bench")
	b := &bench{
		options: o, effort: o.effort(), begin: time.Now(), out: std.out, err: std.err,
		functions: filepath.Join(binaries, "functions"), static: filepath.Join(binaries, "static"),
	}
	var err error
	if b.pipeline, err = crossplane.ReadPipeline(filepath.Join(harness.Root(), chainComposition)); err != nil {
		return nil, err
	}
	if b.fused, err = crossplane.ReadPipeline(filepath.Join(harness.Root(), fusedComposition)); err != nil {
		return nil, err
	}
	if b.cluster, err = readObjects(clusterFixture); err != nil {
		return nil, err
	}
	b.progressf("building the functions")
	for pkg, path := range map[string]string{"./cmd/function": b.functions, "./fn-tests/bench/static": b.static} {
		if err := process.Build(ctx, harness.Root(), pkg, path); err != nil {
			return nil, err
		}
	}
	if b.folder, err = os.MkdirTemp("", "configuration-dynamo-bench-"); err != nil {
		return nil, fmt.Errorf("cannot make a folder: %w", err)
	}
	if b.certificates, err = process.NewCertificates(b.folder); err != nil {
		return nil, errors.Join(err, b.clean())
	}
	return b, nil
}

// clean up what was written.
func (b *bench) clean() error { return os.RemoveAll(b.folder) } //nolint:gosec // It has made the folder itself.

func (b *bench) printf(format string, arguments ...any) {
	_, _ = fmt.Fprintf(b.out, format, arguments...)
}

// progressf says what is being done, apart from the results.
func (b *bench) progressf(format string, arguments ...any) {
	_, _ = fmt.Fprintf(b.err, "%4.0f s: %s\n", time.Since(b.begin).Seconds(), fmt.Sprintf(format, arguments...))
}

// group of processes, one for each step of a pipeline.
type group []*process.Function

// startChain starts the functions of the chain.
func (b *bench) startChain(ctx context.Context) (group, error) {
	return start(ctx, b.pipeline, b.startFunction)
}

// startFused starts the function that is the whole chain.
func (b *bench) startFused(ctx context.Context) (group, error) {
	return start(ctx, b.fused, b.startFunction)
}

// startEchoes starts a chain of as many functions that only copy.
func (b *bench) startEchoes(ctx context.Context) (group, error) {
	return start(ctx, b.pipeline, func(string) (*process.Function, error) { return b.startEcho() })
}

func (b *bench) startFunction(name string) (*process.Function, error) {
	return process.Start(b.certificates, name, b.functions, name)
}

func (b *bench) startEcho() (*process.Function, error) {
	return process.Start(b.certificates, "echo", b.static)
}

// start a process for each step of a pipeline, and wait until all of them listen.
func start(ctx context.Context, p *crossplane.Pipeline, function func(name string) (*process.Function, error)) (group, error) {
	var all group
	for _, step := range p.Steps {
		f, err := function(step.Function)
		if err != nil {
			all.stop()
			return nil, err
		}
		all = append(all, f)
	}
	for _, f := range all {
		if err := f.Listening(ctx); err != nil {
			all.stop()
			return nil, err
		}
	}
	return all, nil
}

// stop all processes.
func (g group) stop() {
	var stopping sync.WaitGroup
	for _, f := range g {
		stopping.Go(f.Stop)
	}
	stopping.Wait()
}

// byName are the functions by the names that the steps of their pipeline call them by.
func (g group) byName(p *crossplane.Pipeline) crossplane.Functions {
	out := make(crossplane.Functions, len(g))
	for i, step := range p.Steps {
		out[step.Function] = g[i]
	}
	return out
}
