package pipeline

import (
	"slices"

	"google.golang.org/protobuf/types/known/durationpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// Next is the request of the next step, as far as it follows from the request and the response of a step. The next step observes the same
// state, and gets the desired state and the context of the step before.
func Next(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) *fnv1.RunFunctionRequest {
	return &fnv1.RunFunctionRequest{
		Observed: req.GetObserved(),
		Desired:  rsp.GetDesired(),
		Context:  rsp.GetContext(),
	}
}

// Gather adds the response of the next step to the result of the previous steps: its state and context replace theirs, and everything else
// is added. Requirements belong to a single step, and are not gathered.
func Gather(all, next *fnv1.RunFunctionResponse) {
	all.Desired, all.Context = next.GetDesired(), next.GetContext()
	all.Conditions = append(all.Conditions, next.GetConditions()...)
	all.Results = append(all.Results, next.GetResults()...)
	all.Meta.Ttl = shortest(all.GetMeta().GetTtl(), next.GetMeta().GetTtl())
}

// shortest of two times to live. Zero means forever.
func shortest(a, b *durationpb.Duration) *durationpb.Duration {
	if a.AsDuration() == 0 || b.AsDuration() > 0 && b.AsDuration() < a.AsDuration() {
		return b
	}
	return a
}

// Fatal result of a response, which ends the pipeline. nil if there is none.
func Fatal(rsp *fnv1.RunFunctionResponse) *fnv1.Result {
	i := slices.IndexFunc(rsp.GetResults(), func(r *fnv1.Result) bool { return r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL })
	if i < 0 {
		return nil
	}
	return rsp.GetResults()[i]
}

// Waits reports whether a requirement of a response has not been resolved for its request.
func Waits(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) bool {
	required := rsp.GetRequirements()
	return lacks(req.GetRequiredResources(), required.GetResources()) ||
		lacks(req.GetExtraResources(), required.GetExtraResources()) || //nolint:staticcheck // Crossplane before v2.0 knows only this field.
		lacks(req.GetRequiredSchemas(), required.GetSchemas())
}

func lacks[D, S any](delivered map[string]D, asked map[string]S) bool {
	for name := range asked {
		if _, ok := delivered[name]; !ok {
			return true
		}
	}
	return false
}
