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

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/limit"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/managed"
)

// footprint is how many bytes of memory a byte of a request takes from when it
// is decoded until it is answered: up to 13 in step plan, 16 in step status and
// 19 in the fused function, as docs/performance.md says.
const footprint = 20

// Shares of the memory of a process. The rest is left to what the process
// holds without any call, to responses, and to garbage that is not collected yet.
const (
	// waitingShare is for requests that wait as they were received: a half.
	waitingShare = 2
	// largeShare is for large requests that are decoded: a quarter.
	largeShare = 4
	// smallShare is for small requests that are decoded: a sixteenth.
	smallShare = 16
)

const (
	// smallPart of what small requests may have together is the largest one that
	// counts as small.
	smallPart = 4
	// fewestCalls and mostCalls of one client, as Crossplane is, that are received
	// at a time. The others wait in the client.
	fewestCalls, mostCalls = 4, 32
)

// admission decodes only as many bytes of requests at a time as fit into
// memory, and only as many requests as there are processors: a function computes
// and waits for nothing, so that more of them would take more memory and no less
// time. The other requests wait as they were received. Large requests wait for
// large ones, in the order in which they came, so that none waits forever; small
// ones, as nearly all are, only wait for each other.
type admission struct {
	small, large class
	// calls of one client that are received at a time.
	calls uint32
}

// class of requests that wait for each other.
type class struct {
	room, processors *semaphore.Weighted
	// bytes of requests that there is room for.
	bytes int64
}

func newClass(bytes, processors int64) class {
	bytes = max(1, bytes)
	return class{room: semaphore.NewWeighted(bytes), processors: semaphore.NewWeighted(processors), bytes: bytes}
}

// enter with a request of so many bytes, once it has a processor and room. It
// keeps its turn until then.
func (c class) enter(ctx context.Context, bytes int64) (leave func(), err error) {
	if err := c.processors.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	weight := min(bytes, c.bytes)
	if err := c.room.Acquire(ctx, weight); err != nil {
		c.processors.Release(1)
		return nil, err
	}
	return func() {
		c.room.Release(weight)
		c.processors.Release(1)
	}, nil
}

// newAdmission of requests of at most so many bytes to a process with so much
// memory and so many processors. A process without a limit takes what it takes to
// answer the largest request.
func newAdmission(maxRequest int, memory int64, processors int) *admission {
	largest := int64(max(1, maxRequest))
	if memory <= 0 || memory == math.MaxInt64 {
		memory = largest * footprint * largeShare
	}
	calls := min(max(memory/waitingShare/largest, fewestCalls), mostCalls)
	return &admission{
		small: newClass(memory/smallShare/footprint, int64(processors)), large: newClass(memory/largeShare/footprint, int64(processors)),
		calls: uint32(calls), //nolint:gosec // It is at most mostCalls.
	}
}

// admit a request of so many bytes, once there is room for it. One that is
// larger than all room is admitted alone. It fails when its caller no longer
// waits.
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

// admitting is a service whose calls are admitted before they are decoded.
// Interceptors come too late: gRPC decodes first.
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
			admitted, err := a.admit(ctx, r.buffers.Len())
			if err != nil {
				return err
			}
			leave = admitted
			return r.decode(message)
		}, interceptor)
	}
}

// received is a request that is not decoded yet.
type received struct{ buffers mem.BufferSlice }

// decode the request, without what is decoded once it is asked for.
func (r *received) decode(message any) error {
	// The buffers of gRPC's pool have 32 kB or 1 MiB, and most requests something in between.
	request := r.buffers.Materialize()
	managed.Defer(request)
	if err := encoding.GetCodecV2(proto.Name).Unmarshal(mem.BufferSlice{mem.SliceBuffer(request)}, message); err != nil {
		return status.Errorf(codes.Internal, "cannot decode the request: %v", err)
	}
	return nil
}

// Unmarshal a message, or keep it as it was received.
func (c codec) Unmarshal(data mem.BufferSlice, message any) error {
	if r, ok := message.(*received); ok {
		data.Ref()
		r.buffers = data
		return nil
	}
	return c.CodecV2.Unmarshal(data, message)
}
