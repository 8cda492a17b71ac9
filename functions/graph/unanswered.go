package graph

import (
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step/hold"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/pipeline"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// askedKey is the key in the context under which a response that waits for answers lists the names of its requirements. Crossplane passes the
// context on to the next call of its loop, so that this call can tell an answer that is missing from a question that is new. A response that
// does not wait does not have the key.
// https://github.com/crossplane/crossplane/blob/v2.4.0/internal/xfn/required_resources.go
const askedKey = "asked.dynamo.nvidia.com"

// asked is a request without the key, and the error if it lacks an answer to what the call before it has asked for. Crossplane takes a
// response whose requirements are those of the call before it for the last one, however little it desires, and deletes everything else.
func asked(req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionRequest, error) {
	names, ok := req.GetContext().GetFields()[askedKey]
	if !ok {
		return req, nil
	}
	fields := maps.Clone(req.GetContext().GetFields())
	delete(fields, askedKey)
	call := after(req, &fnv1.RunFunctionResponse{Desired: req.GetDesired(), Context: &structpb.Struct{Fields: fields}})
	call.Input, call.Credentials = req.GetInput(), req.GetCredentials()

	var missing []string
	for _, name := range names.GetListValue().GetValues() {
		if !delivered(req, name.GetStringValue()) {
			missing = append(missing, name.GetStringValue())
		}
	}
	if len(missing) == 0 {
		return call, nil
	}
	return call, errors.Errorf("the caller has not answered these requirements, not even with an empty answer: %s; nothing is changed; "+
		"check what is between Crossplane and the function, such as a cache or a proxy", strings.Join(missing, ", "))
}

// delivered reports whether a request has an answer to a requirement, be it empty.
func delivered(req *fnv1.RunFunctionRequest, name string) bool {
	_, resource := req.GetRequiredResources()[name]
	_, extra := req.GetExtraResources()[name] //nolint:staticcheck // See after.
	_, schema := req.GetRequiredSchemas()[name]
	return resource || extra || schema
}

// ask notes in a response that waits for answers what it asks for, if there is anything that Crossplane could delete.
func ask(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) {
	if len(req.GetObserved().GetResources()) == 0 || pipeline.Fatal(rsp) != nil || !pipeline.Waits(req, rsp) {
		return
	}
	required := rsp.GetRequirements()
	names := slices.Concat(
		slices.Collect(maps.Keys(required.GetResources())),
		slices.Collect(maps.Keys(required.GetExtraResources())), //nolint:staticcheck // See after.
		slices.Collect(maps.Keys(required.GetSchemas())),
	)
	slices.Sort(names)
	list := &structpb.ListValue{}
	for _, name := range names {
		list.Values = append(list.Values, structpb.NewStringValue(name))
	}
	rsp.Context = tree.With(rsp.GetContext(), structpb.NewListValue(list), askedKey)
}

// unfinished is the response of steps that ended before all answers are there. Should the caller lose answers before the first call, which
// nothing shows, the response is its last one, so it desires everything that is observed.
func unfinished(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) *fnv1.RunFunctionResponse {
	if len(req.GetObserved().GetResources()) > 0 && pipeline.Waits(req, rsp) {
		hold.Observed(rsp, req, "the requirements of the function are not answered yet")
		step.Hurry(rsp)
	}
	return rsp
}
