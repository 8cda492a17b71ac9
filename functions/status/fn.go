// Package status is the last step. It determines whether the composed resources are ready, and writes the status and the conditions of the
// graph. Before that, it delays changes that have to wait for their turn in a rollout. Pod templates are only final in this step, because a
// platform can have functions of its own between the steps.
package status

import (
	"time"

	"github.com/crossplane/function-sdk-go/logging"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/lost"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling/restart"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling/rollout"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
)

// NewFunction returns the step.
func NewFunction(log logging.Logger) *step.Function { return newFunction(log, time.Now) }

func newFunction(log logging.Logger, now func() time.Time) *step.Function {
	return step.NewFunction("status", log, func(call *step.Call) error { return do(call, now()) })
}

// do marks each composed resource as ready or not, and sets status and conditions of the composite resource.
func do(call *step.Call, now time.Time) error {
	req, rsp, g, p := call.Request, call.Response, call.Graph, call.Plan
	if err := checkRevision(rsp, p); err != nil {
		return err
	}
	components := workloads(req, g, p)
	scalings, err := scaling.Pace(req, rsp, g, p, now)
	if err != nil {
		return err
	}
	awaitScalings(scalings, components)
	rollouts, err := rollout.Pace(req, rsp, g, p)
	if err != nil {
		return err
	}
	awaitRollouts(req, rollouts, components)
	r := markReadiness(req, rsp, p, components, rollouts)
	addScalings(r, p, scalings)
	if err := writeStatus(call, r, components); err != nil {
		return err
	}
	r.Report(req, rsp)
	restart.Report(req, rsp, p)
	settled := topologySettled(req, rsp, g, p)
	if !r.Ready() || !settled || p.Restart.UnderWay() {
		step.Hurry(rsp)
	}
	paceProgress(req, rsp, now)
	step.Pace(rsp, req, now)
	// This comes last, so that objects that no step desires any more are not treated as a part of the graph.
	lost.Restore(req, rsp, p.Lost)
	reportLost(rsp, p)
	return nil
}
