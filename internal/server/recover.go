package server

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/crossplane/function-sdk-go/errors"
	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
)

// panicTTL is the TTL of the response to a request with a panic, which is the default of function-sdk-go.
const panicTTL = time.Minute

// Recover wraps a function so that a panic ends one request with a Fatal result, and not the process. A crash would be an Unavailable error
// for every composite resource that is served at that moment. A Fatal result stops one pipeline, and does not change objects in the
// cluster.
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
	defer func() {
		p := recover()
		if p == nil {
			return
		}

		reason := describe(p)
		r.log.Info("Recovered from a panic", "function", r.name, "tag", req.GetMeta().GetTag(), "panic", reason, "stack", string(debug.Stack()))

		rsp, err = r.fatal(req, reason), nil
	}()

	return r.wrapped.RunFunction(ctx, req)
}

// fatal is the response for a panic. The conditions are repeated as with every Fatal result. If the function plans itself, a plan in the
// context is from one of its previous calls, whose response contained the conditions. Desired state and context are left out: the function may
// have written to both, which its response shares with the request, and they have no effect together with a Fatal result.
//
//nolint:nonamedreturns // Only a deferred function can recover.
func (r *recoverer) fatal(req *fnv1.RunFunctionRequest, reason string) (rsp *fnv1.RunFunctionResponse) {
	before := &fnv1.RunFunctionRequest{Observed: req.GetObserved()}
	if !r.plans {
		before.Context = req.GetContext()
	}
	received := &fnv1.RunFunctionRequest{Meta: req.GetMeta()}
	err := errors.Errorf("function %s panicked (%s); this is a bug in the function, and its log has the stack trace", r.name, reason)
	defer func() {
		// The panic may be caused by the objects that determine the readiness.
		if recover() != nil {
			rsp = step.Unjudged(response.To(received, panicTTL), before, err)
		}
	}()
	return step.Fatal(response.To(received, panicTTL), before, err)
}

// describe a panic without its value, which may contain any data of the request, including Secret data. Errors of the Go runtime (a nil
// pointer, an index out of range) are safe, because they only contain types and numbers.
func describe(p any) string {
	if err, ok := p.(runtime.Error); ok {
		return err.Error()
	}
	return fmt.Sprintf("a value of type %T", p)
}
