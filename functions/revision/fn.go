// Package revision is the step that decides whether the pod templates of a live graph change: only when its user has changed
// what reaches the pods. The steps before it build the graph as if it were new.
//
// The pod templates of each state of a graph are kept in a ControllerRevision, with a hash of what the user wrote for them.
// While the hash is the same, the template of the revision is desired, whatever the rules, the input, the cluster or the
// release of the functions make of the graph now.
package revision

import (
	"context"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/compatibility"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step/takeover"
)

// Function pins the pod templates of graphs.
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

// Do gives each desired workload the pod templates of the state that the graph is in, and composes the revision of that state
// and those that are still needed, and the jobs that store the state of pods.
func (f *Function) Do(call *step.Call) error {
	adopted := takeover.Keep(call)
	services := servicesOf(call)
	history := readHistory(call.Request.GetObserved().GetResources()).restored(call, services)
	services, err := awaitStored(call, services, history)
	if err != nil {
		return err
	}
	state := settle(call, services, history, compatibility.Build())
	current := history.current(call.Graph, state)

	f.log.Debug("Pinning pod templates", "graph", call.Graph.Name, "namespace", call.Graph.Namespace, "revision", current.name)
	pin(call.Response, services, state, current)
	takeover.KeepUnchanged(call, adopted)
	report(call, state, current)
	if err := composeSnapshotJobs(call); err != nil {
		return err
	}
	return history.compose(call, services, current)
}
