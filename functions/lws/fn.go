// Package lws is the step that composes the workloads of a graph without Grove: LeaderWorkerSets with a gang for components that span nodes,
// and Deployments for all others.
package lws

import (
	"github.com/crossplane/function-sdk-go/logging"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
)

// NewFunction returns the step.
func NewFunction(log logging.Logger) *step.Function { return step.NewFunction("lws", log, do) }

// do adds the workloads to the desired state, and keeps the gangs of pods that still run. If Grove runs the graph, it does nothing.
func do(call *step.Call) error {
	g, p := call.Graph, call.Plan
	if p.Orchestrator == graphplan.Grove {
		return nil
	}
	resources, err := newBuilder(g, p, call.Request.GetObserved().GetResources()).resources()
	if err != nil {
		return err
	}
	for _, r := range resources {
		if err := response.Set(call.Response, r.key, r.object); err != nil {
			return err
		}
	}
	return keepPodGroups(call)
}
