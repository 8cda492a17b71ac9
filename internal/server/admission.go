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
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/limit"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/managed"
)

// footprint is the number of bytes of memory for each byte of a request, from its decoding until it is answered: up to 13 in step plan, 16
// in step status and 19 in the fused function; see docs/performance.md.
const footprint = 20

// Shares of the memory of a process. The rest is for the idle process, for responses, and for garbage that is not collected yet.
const (
	// waitingShare is for encoded requests that wait: a half.
	waitingShare = 2
	// largeShare is for decoded large requests: a quarter.
	largeShare = 4
	// smallShare is for decoded small requests: a sixteenth.
	smallShare = 16
)

const (
	// smallPart of the memory for small requests is the size of the largest request that counts as small.
	smallPart = 4
	// fewestCalls and mostCalls limit the calls of one client, such as Crossplane, that are received at a time. Other calls wait in the
	// client.
	fewestCalls, mostCalls = 4, 32
)

// admission decodes only as many bytes of requests at a time as fit into memory, and only as many requests as there are processors:
// functions only compute, so more requests at a time would take more memory and no less time. Other requests wait in their encoded form.
// Large requests wait for large ones, in the order of their arrival, so that none waits forever. Small requests, which most are, only wait
// for each other.
type admission struct {
	small, large class
	// calls of one client that are received at a time.
	calls uint32
	// metrics of the function.
	metrics *metrics.Metrics
}

// class of requests that wait for each other.
type class struct {
	room, processors *semaphore.Weighted
	// bytes of requests that fit.
	bytes int64
	// metrics of the class.
	metrics metrics.Class
}

func newClass(name string, bytes, processors int64, m *metrics.Metrics) class {
	bytes = max(1, bytes)
	return class{room: semaphore.NewWeighted(bytes), processors: semaphore.NewWeighted(processors), bytes: bytes, metrics: m.Class(name, bytes)}
}

// enter with a request of a size, as soon as there is a processor and enough memory. Until then the request keeps its place in the queue.
func (c class) enter(ctx context.Context, bytes int64) (leave func(), err error) {
	defer c.metrics.Wait()()
	if err := c.processors.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	weight := min(bytes, c.bytes)
	if err := c.room.Acquire(ctx, weight); err != nil {
		c.processors.Release(1)
		return nil, err
	}
	left := c.metrics.Admit(weight)
	return func() {
		left()
		c.room.Release(weight)
		c.processors.Release(1)
	}, nil
}

// newAdmission of requests up to a size, for a process with a memory limit and a number of processors. Without a memory limit, there is
// enough memory for the largest request.
func newAdmission(maxRequest int, memory int64, processors int, m *metrics.Metrics) *admission {
	largest := int64(max(1, maxRequest))
	if memory <= 0 || memory == math.MaxInt64 {
		memory = largest * footprint * largeShare
	}
	calls := min(max(memory/waitingShare/largest, fewestCalls), mostCalls)
	return &admission{
		small:   newClass("small", memory/smallShare/footprint, int64(processors), m),
		large:   newClass("large", memory/largeShare/footprint, int64(processors), m),
		calls:   uint32(calls), //nolint:gosec // It is at most mostCalls.
		metrics: m,
	}
}

// admit a request of a size as soon as it fits. A request that never fits is admitted alone. It fails if its caller no longer waits.
func (a *admission) admit(ctx context.Context, bytes int) (leave func(), err error) {
	c := a.small
	if int64(bytes) > a.small.bytes/smallPart {
		c = a.large
	}
	leave, err = c.enter(ctx, int64(bytes))
	if err != nil {
		return nil, status.Errorf(status.FromContextError(err).Code(),
			"the caller gave up while a request of %s was waiting for memory; raise the memory limit of the function, or let Crossplane reconcile fewer graphs at a time (%v)",
			limit.Format(int64(bytes)), err)
	}
	return leave, nil
}

// admitting is a service whose calls are admitted before they are decoded. gRPC calls interceptors after decoding, which is too late.
func admitting(service grpc.ServiceDesc, a *admission) *grpc.ServiceDesc {
	methods := make([]grpc.MethodDesc, 0, len(service.Methods))
	for _, method := range service.Methods {
		methods = append(methods, grpc.MethodDesc{MethodName: method.MethodName, Handler: a.wrap(method.Handler)})
	}
	service.Methods = methods
	return &service
}

func (a *admission) wrap(handle grpc.MethodHandler) grpc.MethodHandler {
	return func(service any, ctx context.Context, receive func(any) error, interceptor grpc.UnaryServerInterceptor) (any, error) {
		leave := func() {}
		//nolint:gocritic // It is another function by then.
		defer func() { leave() }()
		return handle(service, ctx, func(message any) error {
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
