// Package step contains the common parts of all steps after plan: they read the plan and the graph, and fail safely.
package step

import (
	"slices"
	"time"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/health/readiness"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/compatibility"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
)

// How long a response is valid. Crossplane runs a pipeline again after the shortest time of its steps if nothing that it watches changes.
const (
	// TTL of a response that only depends on what Crossplane watches.
	TTL = 10 * time.Minute
	// PendingTTL of a response while something is missing or pending, or has changed recently: Crossplane may drop the event.
	PendingTTL = 30 * time.Second
	// UnresponsiveTTL of a response while Crossplane drops events.
	UnresponsiveTTL = 15 * time.Second
)

// Inputs are the graph and the plan of a request. The step has no input of its own, and refuses one, which would otherwise be ignored
// silently.
func Inputs(req *fnv1.RunFunctionRequest) (*graph.Graph, *graphplan.Plan, error) {
	if req.GetInput() != nil {
		return nil, nil, errors.New("this step does not support input; remove the input from the Composition, and set policy in the input of step plan")
	}
	p, err := graphplan.Read(req)
	if err != nil {
		return nil, nil, err
	}
	if err := p.CheckRelease(compatibility.Build()); err != nil {
		return nil, nil, err
	}
	g, errs := graph.Decode(req)
	if err := errs.ErrorsIn(g).ToAggregate(); err != nil {
		return nil, nil, errors.Wrap(err, "cannot read the DynamoGraphDeployment")
	}
	if p.AdoptedNames != nil {
		g.AdoptedNames = *p.AdoptedNames
	}
	for name, component := range p.Components {
		if component.WeightServers {
			g.RunWeightServers(name)
		}
		if component.RuntimeContainer {
			g.RunRuntimeContainer(name)
		}
		if component.Replicas != nil {
			g.Scale(name, *component.Replicas)
		}
		if component.Retained != nil {
			g.Retain(name, component.Retained)
		}
	}
	return g, p, nil
}

// Fatal ends the pipeline: nothing is applied and nothing is deleted. The conditions of the observed composite resource are repeated,
// because Crossplane sets those to Unknown that no step returns. Conditions that step plan has just returned are not repeated, because the
// observed ones are outdated. The readiness depends on what is observed.
func Fatal(rsp *fnv1.RunFunctionResponse, req *fnv1.RunFunctionRequest, err error) *fnv1.RunFunctionResponse {
	// A plan that cannot be read contains no children.
	p, _ := graphplan.Read(req)
	readiness.Observe(req, readiness.ChildrenOf(p)).Report(req, rsp)
	return Unjudged(rsp, req, err)
}

// Unjudged is Fatal for a caller that has determined the readiness, or cannot: its condition is repeated like the others unless the
// response contains it.
func Unjudged(rsp *fnv1.RunFunctionResponse, req *fnv1.RunFunctionRequest, err error) *fnv1.RunFunctionResponse {
	response.Fatal(rsp, err)
	observed := condition.OfComposite(req)
	if _, planned := req.GetContext().GetFields()[graphplan.ContextKey]; planned {
		observed = slices.DeleteFunc(observed, func(c condition.Observed) bool { return condition.OfPlan(c.Type) })
	}
	condition.Repeat(rsp, observed)
	return rsp
}

// Hurry makes Crossplane run the pipeline again after PendingTTL, because something is missing or pending.
func Hurry(rsp *fnv1.RunFunctionResponse) {
	Within(rsp, PendingTTL)
}
