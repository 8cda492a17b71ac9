// Package grove is the step that composes the workload of a graph on Grove: one PodCliqueSet, and what scales it.
package grove

import (
	"context"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/response"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/desired"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/step"
)

// Function composes a PodCliqueSet.
type Function struct {
	fnv1.UnimplementedFunctionRunnerServiceServer

	log logging.Logger
}

// NewFunction returns the step.
func NewFunction(log logging.Logger) *Function { return &Function{log: log} }

// RunFunction adds the PodCliqueSet, and what scales it, to the desired state when the plan chose Grove, and else passes the request through.
func (f *Function) RunFunction(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	rsp := response.To(req, step.TTL)
	g, p, err := step.Inputs(req)
	if err != nil {
		return step.Fatal(rsp, req, err), nil
	}
	if p.Orchestrator != graphplan.Grove {
		return rsp, nil
	}
	f.log.Debug("Composing a PodCliqueSet", "graph", g.Name, "namespace", g.Namespace)

	set := podCliqueSet(g, p)
	scaling, err := scale(req, g, p, set)
	if err != nil {
		return step.Fatal(rsp, req, err), nil
	}
	if scaling.pending {
		step.Hurry(rsp)
	}
	for _, c := range append(scaling.composed, composed{names.KeyPodCliqueSet, set}) {
		if err := desired.Set(rsp, c.key, c.object); err != nil {
			return step.Fatal(rsp, req, err), nil
		}
	}
	return rsp, nil
}
