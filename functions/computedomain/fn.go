// Package computedomain is the step that composes ComputeDomains for the GPU pods of a graph, adds claims for their channels to the
// workloads of the previous steps, and ensures that a domain is deleted after the pods that use it.
package computedomain

import (
	"github.com/crossplane/function-sdk-go/logging"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
)

// NewFunction returns the step.
func NewFunction(log logging.Logger) *step.Function {
	return step.NewFunction("computedomain", log, do)
}

// do adds the domains of the plan to the desired state, and keeps existing domains as long as something may use them.
func do(call *step.Call) error {
	req, rsp, g, p := call.Request, call.Response, call.Graph, call.Plan
	var domains []domain
	var err error
	if p.MNNVL.Mode == graphplan.MNNVLAuto {
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
