// Package grove is the step that composes the workload of a graph on Grove: one PodCliqueSet, and what scales it.
package grove

import (
	"context"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
)

// Function composes a PodCliqueSet.
type Function struct {
	fnv1.UnimplementedFunctionRunnerServiceServer

	log logging.Logger
}

// NewFunction returns the step.
func NewFunction(log logging.Logger) *Function { return &Function{log: log} }

// RunFunction reads the graph and the plan of a request, and does the work of the step.
func (f *Function) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	return step.Run(ctx, f, req)
}

// Do adds the PodCliqueSet, and what scales it, to the desired state when the plan chose Grove, and else leaves the response as
// it is.
func (f *Function) Do(call *step.Call) error {
	g, p := call.Graph, call.Plan
	if p.Orchestrator != graphplan.Grove {
		return nil
	}
	f.log.Debug("Composing a PodCliqueSet", "graph", g.Name, "namespace", g.Namespace)

	set := podCliqueSet(g, p)
	scalers, err := scaling.OnGrove(call.Request, g, p, set)
	if err != nil {
		return err
	}
	if scalers.Pending {
		step.Hurry(call.Response)
	}
	for key, object := range scalers.Composed {
		if err := response.Set(call.Response, key, object); err != nil {
			return err
		}
	}
	if err := response.Set(call.Response, names.KeyPodCliqueSet, set); err != nil {
		return err
	}
	overrideTopology(call.Response, g)
	return nil
}
