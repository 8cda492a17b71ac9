package graphplan

import (
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/compatibility"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/structs"
)

// Write the plan to the context of a response. Writing it twice has the same result as writing it once.
func Write(rsp *fnv1.RunFunctionResponse, p *Plan) error {
	encoded, err := structs.Of(p)
	if err != nil {
		return errors.Wrap(err, "cannot encode the plan")
	}
	if rsp.GetContext().GetFields() == nil {
		rsp.Context = &structpb.Struct{Fields: map[string]*structpb.Value{}}
	}
	rsp.Context.Fields[ContextKey] = structpb.NewStructValue(encoded)
	return nil
}

// Read the plan from the context of a request. A missing plan is an error: otherwise fewer resources would be composed, and Crossplane
// would delete the others.
func Read(req *fnv1.RunFunctionRequest) (*Plan, error) {
	value, ok := req.GetContext().GetFields()[ContextKey]
	if !ok {
		return nil, errors.Errorf("the pipeline context has no plan (key %s): step plan must run before this step, and the resources that step plan requires must be provided", ContextKey)
	}
	if version := value.GetStructValue().GetFields()["version"].GetNumberValue(); version != Version {
		return nil, errors.Errorf("cannot read version %v of the plan, only version %d; install the same version of all function-dynamo packages", version, Version)
	}
	// A field that this version does not know would be a decision that is ignored silently.
	p := &Plan{}
	if errs := strict.Decode(value, p, nil, strict.Options{}); len(errs) > 0 {
		return nil, errors.Wrapf(errs[0], "cannot read the plan in context key %s", ContextKey)
	}
	if p.Orchestrator == Grove && p.Grove == nil {
		return nil, errors.Errorf("cannot read the plan in context key %s: the orchestrator is Grove, but field grove is missing", ContextKey)
	}
	if p.Orchestrator == LeaderWorkerSet && p.LWS.Gang == (Gang{}) {
		return nil, errors.Errorf("cannot read the plan in context key %s: the orchestrator is LeaderWorkerSet, but field lws.gang is missing", ContextKey)
	}
	return p, nil
}

// Hold is the plan of a graph that is kept unchanged.
func Hold(why string) *Plan {
	return &Plan{Version: Version, Release: compatibility.Build(), Components: map[string]Component{}, Held: why}
}

// Held is the reason why the plan in a context keeps its graph unchanged. Empty if it does not, or there is no plan.
func Held(context *structpb.Struct) string {
	return context.GetFields()[ContextKey].GetStructValue().GetFields()["held"].GetStringValue()
}
