// Package lws is the step that composes the workload of a graph without Grove: LeaderWorkerSets with a gang for
// services that span nodes, Deployments for all others.
package lws

import (
	"context"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/response"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/desired"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/step"
)

// Function composes LeaderWorkerSets, PodGroups and Deployments.
type Function struct {
	fnv1.UnimplementedFunctionRunnerServiceServer

	log logging.Logger
}

// NewFunction returns the step.
func NewFunction(log logging.Logger) *Function { return &Function{log: log} }

// RunFunction adds the workloads to the desired state unless the plan chose Grove; then it passes the request through.
func (f *Function) RunFunction(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	rsp := response.To(req, step.TTL)
	g, p, err := step.Inputs(req)
	if err != nil {
		return step.Fatal(rsp, req, err), nil
	}
	if p.Orchestrator == graphplan.Grove {
		return rsp, nil
	}
	f.log.Debug("Composing workloads", "graph", g.Name, "namespace", g.Namespace, "orchestrator", p.Orchestrator)

	for _, r := range newBuilder(g, p, req.GetObserved().GetResources()).resources() {
		if err := desired.Set(rsp, r.key, r.object); err != nil {
			return step.Fatal(rsp, req, err), nil
		}
	}
	return rsp, nil
}
