// Package computedomain is the step that gives the GPU pods of a graph their NVLink domain: it composes ComputeDomains, adds
// the claims of their channels to the workloads that the steps before it composed, and sees to it that a domain goes after
// the pods that use it.
package computedomain

import (
	"context"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/step"
)

// Function composes ComputeDomains.
type Function struct {
	fnv1.UnimplementedFunctionRunnerServiceServer

	log logging.Logger
}

// NewFunction returns the step.
func NewFunction(log logging.Logger) *Function { return &Function{log: log} }

// RunFunction reads the graph and the plan of a request, and does the work of the step.
func (f *Function) RunFunction(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	return step.Run(f, req), nil
}

// Do adds the domains that the plan asks for to the desired state, and keeps those that exist for as long as something may use
// them.
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
