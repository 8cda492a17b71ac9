// Package revision is the step that decides whether the pod templates of a live graph change: only when its user has changed
// what reaches the pods. The steps before it build the graph as if it were new.
//
// The pod templates of each state of a graph are kept in a ControllerRevision, with a hash of what the user wrote for them.
// While the hash is the same, the template of the revision is desired, whatever the rules, the input, the cluster or the
// release of the functions make of the graph now.
package revision

import (
	"github.com/crossplane/function-sdk-go/logging"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/compatibility"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step/takeover"
)

// NewFunction returns the step.
func NewFunction(log logging.Logger) *step.Function { return step.NewFunction("revision", log, do) }

// do gives each desired workload the pod templates of the state that the graph is in, and composes the revision of that state
// and those that are still needed, and the jobs that store the state of pods.
func do(call *step.Call) error {
	adopted := takeover.Keep(call)
	components := runningOf(call)
	history := readHistory(call.Request.GetObserved().GetResources()).restored(call, components)
	components, err := awaitStored(call, components, history)
	if err != nil {
		return err
	}
	state := settle(call, components, history, compatibility.Build())
	current := history.current(call.Graph, state)

	if err := pin(call.Response, components, state, current); err != nil {
		return err
	}
	takeover.KeepUnchanged(call, adopted)
	report(call, state, current)
	if err := composeSnapshotJobs(call); err != nil {
		return err
	}
	return history.compose(call, components, current)
}
