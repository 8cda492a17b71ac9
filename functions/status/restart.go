package status

import (
	"cmp"
	"fmt"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
)

// Reasons of the events of a restart.
const (
	reasonRestartStarted   = "RestartStarted"
	reasonRestartCompleted = "RestartCompleted"
)

// restartStatus is the progress of the restart. nil if none was requested.
func restartStatus(g *graph.Graph, p *graphplan.Plan) *v1alpha1.RestartStatus {
	if p.Restart != nil && p.Restart.ID != "" {
		return &v1alpha1.RestartStatus{ObservedID: p.Restart.ID, Phase: p.Restart.Phase, InProgress: p.Restart.InProgress}
	}
	if g.Spec.Restart == nil {
		return nil
	}
	// An older step plan performs no restarts. After an upgrade, the new one must not treat an ID that was there before as a request.
	return &v1alpha1.RestartStatus{ObservedID: g.Spec.Restart.ID, Phase: v1alpha1.RestartPhaseCompleted}
}

// reportRestart when it starts and when it is complete. Crossplane creates an event for each result in each call.
func reportRestart(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, p *graphplan.Plan) {
	if p.Restart == nil {
		return
	}
	before := cmp.Or(observed.StatusOf(req).Restart(), &v1alpha1.RestartStatus{})
	switch {
	case p.Restart.Phase == v1alpha1.RestartPhaseRestarting:
		step.Hurry(rsp)
		if before.ObservedID != p.Restart.ID {
			response.Normal(rsp, reasonRestartStarted, fmt.Sprintf("restart %q starts with %s", p.Restart.ID, strings.Join(p.Restart.InProgress, ", ")))
		}
	case before.ObservedID == p.Restart.ID && before.Phase == v1alpha1.RestartPhaseRestarting:
		response.Normal(rsp, reasonRestartCompleted, fmt.Sprintf("restart %q is complete", p.Restart.ID))
	}
}
