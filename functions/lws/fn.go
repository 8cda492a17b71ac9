// Package lws is the step that composes the workloads of a graph without Grove: LeaderWorkerSets with a gang for services that span nodes,
// and Deployments for all others.
package lws

import (
	"context"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
)

// Function composes LeaderWorkerSets, PodGroups and Deployments.
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

// Do adds the workloads to the desired state, and keeps the gangs of pods that still run. If Grove runs the graph, it does nothing.
func (f *Function) Do(call *step.Call) error {
	g, p := call.Graph, call.Plan
	if p.Orchestrator == graphplan.Grove {
		return nil
	}
	f.log.Debug("Composing workloads", "graph", g.Name, "namespace", g.Namespace, "orchestrator", p.Orchestrator)

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
