// Package grove is the step that composes the workload of a graph on Grove: one PodCliqueSet, and what scales it.
package grove

import (
	"github.com/crossplane/function-sdk-go/logging"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
)

// NewFunction returns the step.
func NewFunction(log logging.Logger) *step.Function { return step.NewFunction("grove", log, do) }

// do adds the PodCliqueSet, and what scales it, to the desired state when the plan chose Grove, and else leaves the response as
// it is.
func do(call *step.Call) error {
	g, p := call.Graph, call.Plan
	if p.Orchestrator != graphplan.Grove {
		return nil
	}
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
