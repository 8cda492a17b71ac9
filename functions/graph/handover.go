package graph

import (
	"maps"
	"slices"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// behind is the request of the next step, behind the steps whose responses are in rsp. As in the chain it has no input: that is
// for step plan. What was required is there for every step, under names that are each one step's own.
func behind(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) *fnv1.RunFunctionRequest {
	return &fnv1.RunFunctionRequest{
		Meta:              req.GetMeta(),
		Observed:          req.GetObserved(),
		Desired:           rsp.GetDesired(),
		Context:           rsp.GetContext(),
		ExtraResources:    req.GetExtraResources(), //nolint:staticcheck // Crossplane before v2.0 knows only this field.
		RequiredResources: req.GetRequiredResources(),
		RequiredSchemas:   req.GetRequiredSchemas(),
	}
}

// add the response of the next step: its state and context take the place of those before, everything else comes behind it.
// https://github.com/crossplane/crossplane/blob/v2.4.0/internal/controller/apiextensions/composite/composition_functions.go#L366
func add(rsp, next *fnv1.RunFunctionResponse) error {
	rsp.Desired, rsp.Context = next.GetDesired(), next.GetContext()
	rsp.Conditions = append(rsp.Conditions, next.GetConditions()...)
	rsp.Results = append(rsp.Results, next.GetResults()...)
	rsp.Meta.Ttl = shortest(rsp.GetMeta().GetTtl(), next.GetMeta().GetTtl())
	return addRequirements(rsp, next.GetRequirements())
}

// shortest of two times to live. Zero is for ever.
func shortest(a, b *durationpb.Duration) *durationpb.Duration {
	if a.AsDuration() == 0 || b.AsDuration() > 0 && b.AsDuration() < a.AsDuration() {
		return b
	}
	return a
}

// addRequirements of the next step to those of the steps before it.
func addRequirements(rsp *fnv1.RunFunctionResponse, next *fnv1.Requirements) error {
	if next == nil {
		return nil
	}
	if rsp.GetRequirements() == nil {
		rsp.Requirements = &fnv1.Requirements{}
	}
	all := rsp.GetRequirements()
	var errs [3]error
	all.Resources, errs[0] = merge(all.GetResources(), next.GetResources())
	all.ExtraResources, errs[1] = merge(all.GetExtraResources(), next.GetExtraResources()) //nolint:staticcheck // See above.
	all.Schemas, errs[2] = merge(all.GetSchemas(), next.GetSchemas())
	return errors.Join(errs[:]...)
}

// merge selectors by the names of their requirements. Two steps that ask for different things by one name would each be given
// what only one of them asked for.
func merge[S proto.Message](into, from map[string]S) (map[string]S, error) {
	if into == nil {
		return from, nil
	}
	for _, name := range slices.Sorted(maps.Keys(from)) {
		if before, ok := into[name]; ok && !proto.Equal(before, from[name]) {
			return into, errors.Errorf("two steps require different objects by the name %s: this is a defect of the function", name)
		}
		into[name] = from[name]
	}
	return into, nil
}

func isFatal(rsp *fnv1.RunFunctionResponse) bool {
	return slices.ContainsFunc(rsp.GetResults(), func(r *fnv1.Result) bool { return r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL })
}

// waits tells whether something that a response requires has not been looked up for the request.
func waits(rsp *fnv1.RunFunctionResponse, req *fnv1.RunFunctionRequest) bool {
	required := rsp.GetRequirements()
	return lacks(req.GetRequiredResources(), required.GetResources()) ||
		lacks(req.GetExtraResources(), required.GetExtraResources()) || //nolint:staticcheck // See above.
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
