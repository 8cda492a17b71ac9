package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	"google.golang.org/protobuf/proto"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/bench/process"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
)

const (
	// runtimeConfig is the file with the limits that the functions are shipped with.
	runtimeConfig = "package/runtime.yaml"

	// callers at once, and how often each of them calls.
	callers, callsOfEach = 16, 2

	// goHeap is the percentage of its memory limit that a function in a container lets the Go runtime use.
	goHeap = 90

	// shippedMaxRequest is what a function receives unless it is told otherwise, in MB.
	shippedMaxRequest = 16
)

// shipped limits of a function's container.
type shipped struct{ memory, processors int64 }

func readShipped() (shipped, error) {
	objects, err := readObjects(runtimeConfig)
	if err != nil {
		return shipped{}, err
	}
	containers, _, err := unstructured.NestedSlice(objects[0].Object, "spec", "deploymentTemplate", "spec", "template", "spec", "containers")
	if err != nil || len(containers) == 0 {
		return shipped{}, errors.Join(fmt.Errorf("%s has no container", runtimeConfig), err)
	}
	container, _ := containers[0].(map[string]any)
	limit := func(name string) int64 {
		value, _, _ := unstructured.NestedString(container, "resources", "limits", name)
		quantity, parseErr := resource.ParseQuantity(value)
		err = errors.Join(err, parseErr)
		return quantity.Value()
	}
	limits := shipped{memory: limit("memory"), processors: limit("cpu")}
	if err != nil {
		return shipped{}, fmt.Errorf("cannot read the limits in %s: %w", runtimeConfig, err)
	}
	return limits, nil
}

// underPressure calls functions from many callers at once with the largest graph that is accepted, under the limits that
// they are shipped with, and with a small graph meanwhile. No call may fail, and none may take the process above its limit.
func (b *bench) underPressure(ctx context.Context) error {
	limits, err := readShipped()
	if err != nil {
		return err
	}
	large, small, err := b.extremes(ctx)
	if err != nil {
		return err
	}
	rows := [][]string{{"function", "request MB", "s", "peak RSS MB", "limit MB", "small calls meanwhile", "slowest ms"}}
	for i, fn := range []string{b.pipeline.Steps[0].Function, b.pipeline.Steps[len(b.pipeline.Steps)-1].Function, b.fused.Steps[0].Function} {
		b.progressf("calling %s from %d callers at once", fn, callers)
		row, err := b.pressed(ctx, fn, large[i], small[i], limits)
		if err != nil {
			return fmt.Errorf("%s under %d callers: %w", fn, callers, err)
		}
		rows = append(rows, row)
	}
	b.table(fmt.Sprintf("%d callers at once, each with %d calls of the largest graph, under the limits of %s", callers, callsOfEach, runtimeConfig), rows)
	return nil
}

// extremes are the requests of the largest graph that is accepted and of a small one, to the first and the last step of the
// chain and to the fused function.
func (b *bench) extremes(ctx context.Context) (large, small []*fnv1.RunFunctionRequest, err error) {
	chain, err := b.startChain(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer chain.stop()
	fused, err := b.startFused(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer fused.stop()

	most, err := b.mostReplicas(ctx, chain)
	if err != nil {
		return nil, nil, err
	}
	for _, size := range []struct {
		components int
		replicas   int64
		into       *[]*fnv1.RunFunctionRequest
	}{{maxComponents, most, &large}, {1, 1, &small}} {
		manifest, err := leaderWorkerSets(size.components, size.replicas)
		if err != nil {
			return nil, nil, err
		}
		graph := crossplane.NewGraph(manifest, b.cluster)
		settled, err := b.pipeline.Settle(ctx, graph, chain.byName(b.pipeline))
		if err != nil {
			return nil, nil, err
		}
		atOnce, err := b.fused.Reconcile(ctx, graph, fused.byName(b.fused))
		if err != nil {
			return nil, nil, err
		}
		steps := settledRequests(settled)
		*size.into = []*fnv1.RunFunctionRequest{steps[0], steps[len(steps)-1], settledRequests(atOnce)[0]}
	}
	return large, small, nil
}

// load of one function.
type load struct {
	function     *process.Function
	large, small *fnv1.RunFunctionRequest

	// smallCalls beside the large ones, and how long the slowest of them took.
	smallCalls int
	slowest    time.Duration
}

// call with the large request from all callers, and with the small one until they have ended.
func (l *load) call(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	meanwhile := errgroup.Group{}
	var done atomic.Bool
	meanwhile.Go(func() error { return l.callSmall(ctx, &done) })

	calls, callsCtx := errgroup.WithContext(ctx)
	for range callers {
		calls.Go(func() error {
			for range callsOfEach {
				if err := call(callsCtx, l.function, l.large); err != nil {
					return err
				}
			}
			return nil
		})
	}
	err := calls.Wait()
	done.Store(true)
	return errors.Join(err, meanwhile.Wait())
}

func (l *load) callSmall(ctx context.Context, done *atomic.Bool) error {
	for !done.Load() {
		begin := time.Now()
		if err := call(ctx, l.function, l.small); err != nil {
			return err
		}
		l.smallCalls, l.slowest = l.smallCalls+1, max(l.slowest, time.Since(begin))
	}
	return nil
}

// pressed measures one function.
func (b *bench) pressed(ctx context.Context, fn string, large, small *fnv1.RunFunctionRequest, limits shipped) ([]string, error) {
	f, err := process.StartWith(process.Settings{
		MaxRequest: shippedMaxRequest,
		Environment: []string{
			"GOMEMLIMIT=" + strconv.FormatInt(limits.memory*goHeap/100, 10), "GOMAXPROCS=" + strconv.FormatInt(max(1, limits.processors), 10),
		},
	}, b.certificates, fn, b.functions, fn)
	if err != nil {
		return nil, err
	}
	defer f.Stop()
	if err := f.Listening(ctx); err != nil {
		return nil, err
	}
	l := &load{function: f, large: large, small: small}
	begin := time.Now()
	if err := l.call(ctx); err != nil {
		return nil, err
	}
	took := time.Since(begin)
	usage, err := f.Usage()
	if err != nil {
		return nil, err
	}
	if usage.PeakRSS > limits.memory {
		err = fmt.Errorf("its memory reached %s MB, and its limit is %s MB", megabytes(usage.PeakRSS), megabytes(limits.memory))
	}
	return []string{
		fn, megabytes(int64(proto.Size(large))), fmt.Sprintf("%.1f", took.Seconds()), megabytes(usage.PeakRSS), megabytes(limits.memory),
		strconv.Itoa(l.smallCalls), milliseconds(l.slowest),
	}, err
}
