package server

import (
	"context"
	"math"

	"golang.org/x/sync/semaphore"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/server/metrics"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/managed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
)

// footprint is the number of bytes of memory for each byte of a request, from its decoding until it is answered: up to 13 in step plan, 16
// in step status and 19 in the fused function; see docs/performance.md.
const footprint = 20

// Shares of the memory of a process. Together they are more than all of it, since the largest requests never come all at once.
const (
	// restShare is for what is not a decoded large request: a quarter.
	restShare = 4
	// waitingShare is for encoded requests that wait: a half.
	waitingShare = 2
	// smallShare is for decoded small requests: a sixteenth, in which at least so many have room.
	smallShare, fewestSmall = 16, 4
)

const (
	// fewestCalls and mostCalls limit the calls of one client, such as Crossplane, that are received at a time. Other calls wait in the
	// client.
	fewestCalls, mostCalls = 4, 32
)

// admission decodes only as many requests at a time as there are processors, and only as many large ones as fit into memory: functions only
// compute, so more requests at a time would take more memory and no less time. Other requests wait in their encoded form. Large requests wait
// for large ones, in the order of their arrival, so that none waits forever. Small requests, which most are, only wait for each other.
type admission struct {
	small, large class
	// largestSmall is the size of the largest request that counts as small.
	largestSmall int64
	// calls of one client that are received at a time.
	calls uint32
	// metrics of the function.
	metrics *metrics.Metrics
}

// class of requests that wait for each other.
type class struct {
	places *semaphore.Weighted
	// size is the number of places.
	size int64
	// metrics of the class.
	metrics metrics.Class
}

func newClass(name string, size int64, m *metrics.Metrics) class {
	return class{places: semaphore.NewWeighted(size), size: size, metrics: m.Class(name)}
}

// enter as soon as there is a place. Until then the request keeps its place in the queue.
func (c class) enter(ctx context.Context) (leave func(), err error) {
	defer c.metrics.Wait()()
	if err := c.places.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	return func() { c.places.Release(1) }, nil
}

// newAdmission of requests up to a size, for a process with a memory limit and a number of processors. Without a memory limit, there is
// enough memory for the largest requests on all processors.
func newAdmission(maxRequest int, memory int64, processors int, m *metrics.Metrics) *admission {
	largest, most := int64(max(1, maxRequest)), int64(processors)
	if memory <= 0 || memory == math.MaxInt64 {
		memory = largest * footprint * smallShare * max(most, fewestSmall)
	}
	large := min(most, max(1, (memory-memory/restShare)/footprint/largest))
	calls := min(max(memory/waitingShare/largest, fewestCalls), mostCalls)
	return &admission{
		small:        newClass("small", most, m),
		large:        newClass("large", large, m),
		largestSmall: memory / smallShare / footprint / max(most, fewestSmall),
		calls:        uint32(calls), //nolint:gosec // It is at most mostCalls.
		metrics:      m,
	}
}

// admit a request of a size as soon as there is a place. It fails if its caller no longer waits.
func (a *admission) admit(ctx context.Context, bytes int) (leave func(), err error) {
	c := a.small
	if int64(bytes) > a.largestSmall {
		c = a.large
	}
	leave, err = c.enter(ctx)
	if err != nil {
		return nil, status.Errorf(status.FromContextError(err).Code(),
			"the caller gave up while a request of %s was waiting for memory; raise the memory limit of the function, or let Crossplane reconcile fewer graphs at a time (%v)",
			response.FormatSize(int64(bytes)), err)
	}
	return leave, nil
}

// admitting is a service whose calls are admitted before they are decoded. gRPC calls interceptors after decoding, which is too late.
func admitting(component grpc.ServiceDesc, a *admission) *grpc.ServiceDesc {
	methods := make([]grpc.MethodDesc, 0, len(component.Methods))
	for _, method := range component.Methods {
		methods = append(methods, grpc.MethodDesc{MethodName: method.MethodName, Handler: a.wrap(method.Handler)})
	}
	component.Methods = methods
	return &component
}

func (a *admission) wrap(handle grpc.MethodHandler) grpc.MethodHandler {
	return func(component any, ctx context.Context, receive func(any) error, interceptor grpc.UnaryServerInterceptor) (any, error) {
		leave := func() {}
		//nolint:gocritic // It is another function by then.
		defer func() { leave() }()
		return handle(component, ctx, func(message any) error {
			r := &received{}
			if err := receive(r); err != nil {
				return err
			}
			defer r.buffers.Free()
			a.metrics.Request(r.buffers.Len())
			admitted, err := a.admit(ctx, r.buffers.Len())
			if err != nil {
				return err
			}
			leave = admitted
			return r.decode(message)
		}, interceptor)
	}
}

// received is an encoded request.
type received struct{ buffers mem.BufferSlice }

// decode the request, except for the parts that are decoded on demand.
func (r *received) decode(message any) error {
	// The buffers in gRPC's pool have 32 kB or 1 MiB, and most requests have a size in between.
	request := r.buffers.Materialize()
	managed.Defer(request)
	if err := encoding.GetCodecV2(proto.Name).Unmarshal(mem.BufferSlice{mem.SliceBuffer(request)}, message); err != nil {
		return status.Errorf(codes.Internal, "cannot decode the request: %v", err)
	}
	return nil
}

// Unmarshal a message, or keep it encoded.
func (c codec) Unmarshal(data mem.BufferSlice, message any) error {
	if r, ok := message.(*received); ok {
		data.Ref()
		r.buffers = data
		return nil
	}
	return c.CodecV2.Unmarshal(data, message)
}
