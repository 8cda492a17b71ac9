package pipeline

import (
	"context"
	"fmt"

	"google.golang.org/protobuf/proto"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// OverTheWire is a function that is called as over gRPC: its requests and responses share no memory with the caller, and the difference
// between an empty and a missing map, which is not transmitted, is lost.
func OverTheWire(fn Function) Function { return distant{fn} }

type distant struct{ Function }

// RunFunction runs the function.
func (d distant) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	received, returned := &fnv1.RunFunctionRequest{}, &fnv1.RunFunctionResponse{}
	if err := send(req, received); err != nil {
		return nil, fmt.Errorf("cannot encode request: %w", err)
	}
	rsp, err := d.Function.RunFunction(ctx, received)
	if err != nil {
		return nil, err
	}
	if err := send(rsp, returned); err != nil {
		return nil, fmt.Errorf("cannot encode response: %w", err)
	}
	return returned, nil
}

func send(from, to proto.Message) error {
	data, err := proto.Marshal(from)
	if err != nil {
		return err
	}
	return proto.Unmarshal(data, to)
}
