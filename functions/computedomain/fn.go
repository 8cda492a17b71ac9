// Package computedomain is the step that composes ComputeDomains for the GPU pods of a graph, adds claims for their channels to the
// workloads of the previous steps, and ensures that a domain is deleted after the pods that use it.
package computedomain

import (
	"context"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
)

// Function composes ComputeDomains.
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

// Do adds the domains of the plan to the desired state, and keeps existing domains as long as something may use them.
func (f *Function) Do(call *step.Call) error {
	req, rsp, g, p := call.Request, call.Response, call.Graph, call.Plan
	var domains []domain
	var err error
	if p.MNNVL.Mode == graphplan.MNNVLAuto {
		f.log.Debug("Composing NVLink domains", "graph", g.Name, "namespace", g.Namespace, "scope", p.MNNVL.Scope)
		b := builder{graph: g, plan: p, rsp: rsp}
		if domains, err = b.compose(); err != nil {
			return err
		}
	}

	if err := keep(call); err != nil {
		return err
	}
	if err := deleteInForeground(call); err != nil {
		return err
	}
	announce(req, rsp, domains)
	return nil
}
