package plan

import (
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/health/readiness"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step/hold"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
)

// fatal ends the pipeline in the same way as step.Fatal. Because this is the first step, it repeats all conditions that it does not set.
func fatal(rsp *fnv1.RunFunctionResponse, req *fnv1.RunFunctionRequest, err error) *fnv1.RunFunctionResponse {
	response.Fatal(rsp, err)
	return reportReadiness(rsp, req, readiness.Observe(req, observed.DeliveredChildren(req)))
}

// refuse a graph with a Fatal result. If that would leave condition Ready with a wrong value, the graph is held once instead.
func refuse(rsp *fnv1.RunFunctionResponse, req *fnv1.RunFunctionRequest, d *decision) *fnv1.RunFunctionResponse {
	observation := readiness.Observe(req, observed.DeliveredChildren(req))
	if d.selection.missing != "" {
		observation = observation.Lacks(d.selection.missing)
	}
	if !d.lacksAPI() && hold.Needed(req, observation) && hold.Graph(rsp, req, observation, d.refusal()) {
		// The next run is Fatal again. The change of Ready triggers it, unless Crossplane drops that event.
		step.Hurry(rsp)
	} else {
		response.Fatal(rsp, d.refusal())
	}
	return reportReadiness(rsp, req, observation)
}

// reportReadiness reports the readiness of a graph that is not planned in this run, and repeats all other conditions.
func reportReadiness(rsp *fnv1.RunFunctionResponse, req *fnv1.RunFunctionRequest, observation *readiness.Observation) *fnv1.RunFunctionResponse {
	observation.Report(req, rsp)
	condition.Repeat(rsp, condition.OfComposite(req))
	return rsp
}

// waiting adds the requirements to the response while any of them is not resolved.
func waiting(rsp *fnv1.RunFunctionResponse, r *require.Requirements) bool {
	if len(r.Unresolved()) == 0 {
		return false
	}
	r.Write(rsp)
	return true
}
