package graph

import (
	"maps"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/pipeline"
)

// after is the request of the next step, after the steps whose responses are in rsp. As in the chain it has no input: that is
// for step plan. What was required is there for every step, under names that are each one step's own.
func after(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) *fnv1.RunFunctionRequest {
	next := pipeline.Next(req, rsp)
	next.Meta = req.GetMeta()
	next.RequiredResources = req.GetRequiredResources()
	next.ExtraResources = req.GetExtraResources() //nolint:staticcheck // Crossplane before v2.0 knows only this field.
	next.RequiredSchemas = req.GetRequiredSchemas()
	return next
}

// addRequirements of the next step to those of the steps before it.
func addRequirements(all *fnv1.RunFunctionResponse, next *fnv1.Requirements) error {
	if next == nil {
		return nil
	}
	if all.GetRequirements() == nil {
		all.Requirements = &fnv1.Requirements{}
	}
	required := all.GetRequirements()
	var errs [3]error
	required.Resources, errs[0] = merge(required.GetResources(), next.GetResources())
	required.ExtraResources, errs[1] = merge(required.GetExtraResources(), next.GetExtraResources()) //nolint:staticcheck // See above.
	required.Schemas, errs[2] = merge(required.GetSchemas(), next.GetSchemas())
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
			return into, errors.Errorf("two steps require different objects under the name %s; this is a bug in the function", name)
		}
		into[name] = from[name]
	}
	return into, nil
}
