package server

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"runtime/debug"
	"time"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/response"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/step"
)

// panicTTL is how long the answer to a request that the function panicked at is good, as by default of function-sdk-go.
const panicTTL = time.Minute

// Recover wraps a function so that a panic ends one request with a Fatal result
// and not the process. A crash would be an Unavailable error to every composite
// resource that is being served at that moment; a Fatal stops one pipeline and
// leaves what runs in the cluster alone.
func Recover(fn Function, log logging.Logger) Function {
	fn.Runner = &recoverer{name: fn.Name, plans: fn.Plans, wrapped: fn.Runner, log: log}
	return fn
}

type recoverer struct {
	fnv1.UnimplementedFunctionRunnerServiceServer

	name    string
	plans   bool
	wrapped fnv1.FunctionRunnerServiceServer
	log     logging.Logger
}

// RunFunction runs the wrapped function.
//
//nolint:nonamedreturns // Only a deferred function can recover.
func (r *recoverer) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (rsp *fnv1.RunFunctionResponse, err error) {
	// A response made by the SDK shares its desired state and its context with
	// the request, so a function that panics half way has already written to
	// both. Copies of the two maps are enough to hand back what was received.
	untouched := &fnv1.RunFunctionRequest{
		Meta:     req.GetMeta(),
		Observed: req.GetObserved(),
		Desired:  copyState(req.GetDesired()),
		Context:  copyStruct(req.GetContext()),
	}

	defer func() {
		p := recover()
		if p == nil {
			return
		}

		reason := describe(p)
		r.log.Info("Recovered from a panic", "function", r.name, "tag", req.GetMeta().GetTag(), "panic", reason, "stack", string(debug.Stack()))

		rsp, err = r.fatal(untouched, reason), nil
	}()

	return r.wrapped.RunFunction(ctx, req)
}

// fatal is what is answered for a panic. The conditions are repeated as by every
// Fatal. Where the function plans itself, a plan in the context is of a call
// before of its own, and its conditions went with the answer to that.
//
//nolint:nonamedreturns // Only a deferred function can recover.
func (r *recoverer) fatal(req *fnv1.RunFunctionRequest, reason string) (rsp *fnv1.RunFunctionResponse) {
	before := &fnv1.RunFunctionRequest{Observed: req.GetObserved()}
	if !r.plans {
		before.Context = req.GetContext()
	}
	err := fmt.Errorf("function %s panicked (%s); this is a bug in the function, and its log has the stack trace", r.name, reason)
	defer func() {
		// What the function panicked at may be what readiness is judged by.
		if recover() != nil {
			rsp = step.Unjudged(response.To(req, panicTTL), before, err)
		}
	}()
	return step.Fatal(response.To(req, panicTTL), before, err)
}

// describe a panic without its value, which may hold anything that the request
// held, Secret data included. The runtime's own errors (a nil pointer, an index
// out of range) are safe: they name types and numbers only.
func describe(p any) string {
	if err, ok := p.(runtime.Error); ok {
		return err.Error()
	}
	return fmt.Sprintf("a value of type %T", p)
}

func copyState(s *fnv1.State) *fnv1.State {
	if s == nil {
		return nil
	}
	return &fnv1.State{Composite: s.GetComposite(), Resources: maps.Clone(s.GetResources())}
}

func copyStruct(s *structpb.Struct) *structpb.Struct {
	if s == nil {
		return nil
	}
	return &structpb.Struct{Fields: maps.Clone(s.GetFields())}
}
