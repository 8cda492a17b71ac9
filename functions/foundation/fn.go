// Package foundation is the step that composes what the pods of a graph need around them: Services, claims, RBAC,
// ConfigMaps and Ingresses.
package foundation

import (
	"context"

	"github.com/crossplane/function-sdk-go/errors"
	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/response"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/desired"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/step"
)

// Function composes what pods need around them.
type Function struct {
	fnv1.UnimplementedFunctionRunnerServiceServer

	log logging.Logger
}

// NewFunction returns the step.
func NewFunction(log logging.Logger) *Function { return &Function{log: log} }

// RunFunction adds the foundation's resources to the desired state. It returns a Fatal result, and so changes nothing,
// when there is no plan.
func (f *Function) RunFunction(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	rsp := response.To(req, step.TTL)
	g, p, err := step.Inputs(req)
	if err != nil {
		return step.Fatal(rsp, req, err), nil
	}
	f.log.Debug("Composing the foundation", "graph", g.Name, "namespace", g.Namespace)

	resources, err := (&foundation{graph: g, plan: p, observed: req.GetObserved().GetResources()}).resources()
	if err != nil {
		return step.Fatal(rsp, req, errors.Wrap(err, "cannot compose the foundation")), nil
	}
	for _, r := range resources {
		if err := desired.Set(rsp, r.key, r.object); err != nil {
			return step.Fatal(rsp, req, err), nil
		}
	}
	return rsp, nil
}
