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

	"github.com/dynamo-crossplane/configuration-dynamo/apis/conversion"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
)

// A workload is a graph to measure with.
type workload struct {
	name  string
	graph *unstructured.Unstructured
	// replicated graphs differ in the number of the same objects only.
	replicated bool
}

// median is the name of the workload that the ratios at the end are of.
const median = "median graph"

// maxReplicas that are tried; far more than fit.
const maxReplicas = 64

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
		w, err := onLeaderWorkerSets(maxComponents, replicas)
		if err != nil {
			return nil, err
		}
		all = append(all, w)
	}
	return b.inForm(all), nil
}

// between are workloads with fewer objects, and with numbers between those of the others.
func (b *bench) between() ([]workload, error) {
	var all []workload
	for _, size := range []struct {
		components int
		replicas   int64
	}{{3, 1}, {10, 1}, {maxComponents, 3}} {
		if b.options.quick && size.replicas > 1 {
			continue
		}
		w, err := onLeaderWorkerSets(size.components, size.replicas)
		if err != nil {
			return nil, err
		}
		all = append(all, w)
	}
	return b.inForm(all), nil
}

// nodes are workloads with a component on more and more nodes, each on Grove and then on LeaderWorkerSets.
func (b *bench) nodes() ([]workload, error) {
	var all []workload
	for _, nodes := range []int64{1, 16, 128} {
		for _, orchestrator := range []string{"Grove", "LeaderWorkerSets"} {
			graph, err := ofNodes(nodes, orchestrator == "Grove")
			if err != nil {
				return nil, err
			}
			all = append(all, workload{name: fmt.Sprintf("%d on %s", nodes, orchestrator), graph: graph})
		}
	}
	return b.inForm(all), nil
}

// inForm are workloads in the form that is measured, as a user would write them: without what a conversion keeps for the way back.
func (b *bench) inForm(workloads []workload) []workload {
	if !b.options.components {
		return workloads
	}
	for i := range workloads {
		converted, _ := conversion.ToV1beta1(workloads[i].graph.Object)
		unstructured.RemoveNestedField(converted, "metadata", "annotations", conversion.AnnotationSpec)
		workloads[i].graph = &unstructured.Unstructured{Object: converted}
	}
	return workloads
}

func onLeaderWorkerSets(components int, replicas int64) (workload, error) {
	graph, err := leaderWorkerSets(components, replicas)
	return workload{name: fmt.Sprintf("%d services x %d LWS", components, replicas), graph: graph, replicated: true}, err
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
		out = append(out, workload{name: wanted.name, graph: graph})
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
	b.progressf("looking for the largest graph that fits into a response")
	var failed error
	fits := func(replicas int64, try func(context.Context, group, *unstructured.Unstructured) error) bool {
		graph, err := leaderWorkerSets(maxComponents, replicas)
		if err == nil {
			err = try(ctx, chain, graph)
		}
		if err != nil && !refused(err) {
			failed = errors.Join(failed, err)
		}
		return err == nil
	}
	// What is composed for a new graph is nearly all of what is composed for one that has settled, and is found out sooner.
	most := int64(sort.Search(maxReplicas, func(i int) bool { return !fits(int64(i+1), b.acceptsNew) }))
	for most > 0 && !fits(most, b.accepts) {
		most--
	}
	if most == 0 {
		failed = errors.Join(errors.New("not even one replica of each service fits into a response"), failed)
	}
	return most, failed
}

// accepts a graph until it has settled.
func (b *bench) accepts(ctx context.Context, chain group, manifest *unstructured.Unstructured) error {
	_, err := b.pipeline.Settle(ctx, crossplane.NewGraph(manifest, b.cluster), chain.byName(b.pipeline))
	return err
}

// acceptsNew accepts a graph that was just created.
func (b *bench) acceptsNew(ctx context.Context, chain group, manifest *unstructured.Unstructured) error {
	_, err := b.pipeline.Reconcile(ctx, crossplane.NewGraph(manifest, b.cluster), chain.byName(b.pipeline))
	return err
}

// refused reports whether an error is the refusal of a graph, or of a response that is larger than Crossplane receives.
func refused(err error) bool {
	return errors.Is(err, crossplane.ErrFatal) || status.Code(err) == codes.ResourceExhausted
}
