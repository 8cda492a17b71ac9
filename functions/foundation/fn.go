// Package foundation is the step that composes the objects that the pods of a graph need: Services, claims, RBAC, ConfigMaps and Ingresses.
package foundation

import (
	"github.com/crossplane/function-sdk-go/errors"
	"github.com/crossplane/function-sdk-go/logging"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/health/workload"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step/retain"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
)

// NewFunction returns the step.
func NewFunction(log logging.Logger) *step.Function { return step.NewFunction("foundation", log, do) }

// do adds the resources of the step to the desired state, and keeps those that pods still use.
func do(call *step.Call) error {
	g, p := call.Graph, call.Plan
	var requirements require.Requirements
	keeper := retain.New(call, &requirements)
	resources, err := (&foundation{graph: g, plan: p, observed: call.Request.GetObserved().GetResources(), keeper: keeper, rolls: rolling(call)}).resources()
	if err != nil {
		return errors.Wrap(err, "cannot compose the foundation")
	}
	for _, r := range resources {
		if err := response.Set(call.Response, r.key, r.object); err != nil {
			return err
		}
	}
	if err := keeper.Keep(names.IsForPods); err != nil {
		return err
	}
	requirements.Write(call.Request, call.Response)
	return nil
}

// rolling reports whether the user has written something else for the pods of a component than what they were last built from, or whether these
// are not all ready.
func rolling(call *step.Call) func(component string) bool {
	return func(component string) bool {
		written, _ := observed.StatusOf(call.Request).Revision(component)
		workloads := workload.Of(call.Graph, call.Plan, call.Request.GetObserved().GetResources(), component)
		return !written.Same(call.Plan.Components[component].Written) || !workloads[component].Ready
	}
}
