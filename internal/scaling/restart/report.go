package restart

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
)

// Reasons of the events of a restart.
const (
	reasonStarted   = "RestartStarted"
	reasonCompleted = "RestartCompleted"
)

// Status is the progress of the restart. nil if none was requested.
func Status(p *graphplan.Plan) *v1alpha1.RestartStatus {
	if p.Restart == nil || p.Restart.ID == "" {
		return nil
	}
	return &v1alpha1.RestartStatus{ObservedID: p.Restart.ID, Phase: p.Restart.Phase, InProgress: p.Restart.InProgress}
}

// Advances reports whether the next components begin to restart in this run. Their pods are still ready, and the next run can be 15 seconds later,
// if Crossplane's circuit breaker is open.
func Advances(req *fnv1.RunFunctionRequest, p *graphplan.Plan) bool {
	if !p.Restart.UnderWay() {
		return false
	}
	before := observed.StatusOf(req).Restart()
	return before == nil || before.ObservedID != p.Restart.ID || !slices.Equal(before.InProgress, p.Restart.InProgress)
}

// Report adds an event when a restart starts, and when it is complete. Crossplane creates an event for each result in each call.
func Report(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, p *graphplan.Plan) {
	before := cmp.Or(observed.StatusOf(req).Restart(), &v1alpha1.RestartStatus{})
	switch {
	case p.Restart == nil:
	case p.Restart.UnderWay():
		if before.ObservedID != p.Restart.ID {
			response.Normal(rsp, reasonStarted, fmt.Sprintf("restart %q starts with %s", p.Restart.ID, strings.Join(p.Restart.InProgress, ", ")))
		}
	case before.ObservedID == p.Restart.ID && before.Phase == v1alpha1.RestartPhaseRestarting:
		response.Normal(rsp, reasonCompleted, fmt.Sprintf("restart %q is complete", p.Restart.ID))
	}
}
