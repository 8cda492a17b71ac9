package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sort"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/bench/crossplane"
)

// A workload is a graph to measure with.
type workload struct {
	name  string
	graph *unstructured.Unstructured
}

// median is the name of the workload that the ratios at the end are of.
const median = "median graph"

// maxReplicas that are tried; far more than fit.
const maxReplicas = 256

func indexOf(workloads []workload, name string) int {
	return slices.IndexFunc(workloads, func(w workload) bool { return w.name == name })
}

// workloads to measure.
func (b *bench) workloads(ctx context.Context) ([]workload, error) {
	chain, err := b.startChain(ctx)
	if err != nil {
		return nil, err
	}
	defer chain.stop()

	all, err := b.realGraphs(ctx, chain)
	if err != nil {
		return nil, err
	}
	counts := []int64{1}
	if !b.options.quick {
		most, err := b.mostReplicas(ctx, chain)
		if err != nil {
			return nil, err
		}
		counts = append(counts, min(8, most), most)
	}
	for _, replicas := range slices.Compact(counts) {
		graph, err := leaderWorkerSets(maxServices, replicas)
		if err != nil {
			return nil, err
		}
		all = append(all, workload{fmt.Sprintf("%d services x %d LWS", maxServices, replicas), graph})
	}
	return all, nil
}

// realGraphs are the smallest, the median and the largest of those that the chain accepts.
func (b *bench) realGraphs(ctx context.Context, chain group) ([]workload, error) {
	paths, from, err := manifests()
	if err != nil {
		return nil, err
	}
	b.printf("Graphs: %s\n", from)
	var out []workload
	for _, wanted := range []struct {
		name string
		// order in which manifests are tried, of which some are refused.
		order []string
	}{
		{"smallest graph", paths},
		{median, fromMiddle(paths)},
		{"largest graph", backward(paths)},
	} {
		graph, path, err := b.firstAccepted(ctx, chain, wanted.order)
		if err != nil {
			return nil, err
		}
		b.printf("  %s: %s\n", wanted.name, filepath.Base(path))
		out = append(out, workload{wanted.name, graph})
	}
	return out, nil
}

// firstAccepted graph of some manifests.
func (b *bench) firstAccepted(ctx context.Context, chain group, paths []string) (*unstructured.Unstructured, string, error) {
	for _, path := range paths {
		objects, err := readObjects(path)
		if err != nil {
			return nil, "", err
		}
		switch err := b.accepts(ctx, chain, objects[0]); {
		case err == nil:
			return objects[0], path, nil
		case !refused(err):
			return nil, "", fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil, "", fmt.Errorf("the chain accepts none of %d manifests", len(paths))
}

// mostReplicas that fit into a response.
func (b *bench) mostReplicas(ctx context.Context, chain group) (int64, error) {
	var failed error
	tooMany := sort.Search(maxReplicas, func(i int) bool {
		graph, err := leaderWorkerSets(maxServices, int64(i+1))
		if err == nil {
			err = b.accepts(ctx, chain, graph)
		}
		if err != nil && !refused(err) {
			failed = err
		}
		return err != nil
	})
	if failed != nil {
		return 0, failed
	}
	if tooMany == 0 {
		return 0, errors.New("not even one replica of each service fits into a response")
	}
	return int64(tooMany), nil
}

// accepts a new graph, or one that has settled: both have to.
func (b *bench) accepts(ctx context.Context, chain group, manifest *unstructured.Unstructured) error {
	_, err := b.pipeline.Settle(ctx, crossplane.NewGraph(manifest, b.cluster), chain.byName(b.pipeline))
	return err
}

// refused reports whether an error is the refusal of a graph, or of a response that is larger than Crossplane receives.
func refused(err error) bool {
	return errors.Is(err, crossplane.ErrFatal) || status.Code(err) == codes.ResourceExhausted
}
