package server

import (
	"context"
	"time"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/transition"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/server/metrics"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
)

// measure wraps a function so that its calls are counted and timed, and each new verdict on a graph is a line of the log. A graph at rest
// adds no line.
func measure(fn Function, m *metrics.Metrics, log logging.Logger) Function {
	if fn.Plans {
		m.Refuses()
	}
	fn.Runner = &measurer{wrapped: fn.Runner, metrics: m, log: log}
	return fn
}

type measurer struct {
	fnv1.UnimplementedFunctionRunnerServiceServer

	wrapped fnv1.FunctionRunnerServiceServer
	metrics *metrics.Metrics
	log     logging.Logger
}

// RunFunction runs the wrapped function.
func (m *measurer) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	begin := time.Now()
	var codes transition.Codes
	rsp, err := m.wrapped.RunFunction(transition.WithCodes(step.WithTimer(ctx, m.metrics.Step), &codes), req)
	m.metrics.Call(transition.OutcomeOf(rsp, err), time.Since(begin))
	for _, v := range transition.New(req, rsp) {
		m.metrics.Verdict(v)
		g := transition.GraphOf(req)
		// Without the message, which the condition has: it lists every error.
		line := []any{
			"graph", g.Name, "namespace", g.Namespace, "generation", g.Generation,
			"condition", v.Condition, "status", v.Status, "reason", v.Reason,
		}
		if v.Refuses() && len(codes) > 0 {
			m.metrics.Refusal(codes)
			line = append(line, "codes", codes.String())
		}
		m.log.Info("Verdict", line...)
	}
	return rsp, err
}
