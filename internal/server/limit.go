package server

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	protobuf "google.golang.org/protobuf/proto"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/server/metrics"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
)

// Limit wraps a function so that a response that Crossplane would not receive is replaced by a Fatal result with the reason. Crossplane's
// own error names neither what is too large nor the remedy, and the conditions of all steps are lost.
//
// Measuring a response costs half as much as sending it. Responses that are sent are measured when they are encoded, so this is for
// responses that are not.
func Limit(fn Function) Function {
	fn.Runner = &limiter{name: fn.Name, wrapped: fn.Runner}
	return fn
}

type limiter struct {
	fnv1.UnimplementedFunctionRunnerServiceServer

	name    string
	wrapped fnv1.FunctionRunnerServiceServer
}

// RunFunction runs the wrapped function.
func (l *limiter) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	rsp, err := l.wrapped.RunFunction(ctx, req)
	if err != nil {
		return nil, err
	}
	if size := protobuf.Size(rsp); size > response.MaxSize {
		return tooLarge(l.name, req, rsp, size), nil
	}
	return rsp, nil
}

// tooLarge replaces a response. Desired state and context are left out: they may be what is too large, and they have no effect together
// with a Fatal result.
func tooLarge(name string, req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, size int) *fnv1.RunFunctionResponse {
	return step.Fatal(&fnv1.RunFunctionResponse{Meta: rsp.GetMeta(), Conditions: rsp.GetConditions()}, req, errors.Errorf(
		"the response of function %s has %d bytes, but Crossplane accepts at most %d (%s); use fewer replicas, shorter args and envs, or several graphs",
		name, size, response.MaxSize, response.MaxSizeText))
}

// limited serves a function with responses that are measured when they are encoded.
func limited(name string, m *metrics.Metrics) []grpc.ServerOption {
	c := codec{encoding.GetCodecV2(proto.Name)}
	return []grpc.ServerOption{grpc.ForceServerCodecV2(c), grpc.ChainUnaryInterceptor(c.limit(name, m))}
}

// codec is that of gRPC, but passes on encoded responses unchanged.
type codec struct{ encoding.CodecV2 }

type encoded struct{ buffers mem.BufferSlice }

// Marshal a message.
func (c codec) Marshal(message any) (mem.BufferSlice, error) {
	if e, ok := message.(*encoded); ok {
		return e.buffers, nil
	}
	return c.CodecV2.Marshal(message)
}

// limit the responses of a function. Those to v1beta1 are not limited: it is not used by any Crossplane that the functions support, only by
// its render command.
func (c codec) limit(name string, m *metrics.Metrics) grpc.UnaryServerInterceptor {
	return func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
		rsp, err := handler(ctx, req)
		request, asked := req.(*fnv1.RunFunctionRequest)
		answer, answered := rsp.(*fnv1.RunFunctionResponse)
		if err != nil || !asked || !answered {
			return rsp, err
		}
		// gRPC itself would allocate 1 MiB for every response with more than 32 kB.
		data, err := protobuf.Marshal(answer)
		if err != nil {
			return nil, err
		}
		m.Response(len(data))
		if size := len(data); size > response.MaxSize {
			return tooLarge(name, request, answer, size), nil
		}
		return &encoded{mem.BufferSlice{mem.SliceBuffer(data)}}, nil
	}
}
