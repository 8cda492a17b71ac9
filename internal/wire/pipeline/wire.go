package pipeline

import (
	"context"

	"google.golang.org/protobuf/proto"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// OverTheWire is a function that is called as over gRPC: its requests share no memory with the caller, and neither do its responses, which are
// made of them. In a request, the difference between an empty and a missing map, which is not transmitted, is lost. Requests are copied, which
// takes less time than to encode and decode them.
func OverTheWire(fn Function) Function { return distant{fn} }

type distant struct{ Function }

// RunFunction runs the function.
func (d distant) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return d.Function.RunFunction(ctx, proto.CloneOf(req))
}
