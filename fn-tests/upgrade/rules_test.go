package upgrade

import (
	"context"
	"maps"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/compositiontest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// otherRules is a step in a later release that builds pods differently.
type otherRules struct {
	fnv1.FunctionRunnerServiceServer
}

// RunFunction runs the step, and changes all pods.
func (f otherRules) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	rsp, err := f.FunctionRunnerServiceServer.RunFunction(ctx, req)
	for _, resource := range rsp.GetDesired().GetResources() {
		buildOtherwise(structpb.NewStructValue(resource.GetResource()))
	}
	return rsp, err //nolint:wrapcheck // It is the error of the step.
}

// buildOtherwise changes all pods: another variable, another ServiceAccount and another label.
func buildOtherwise(value *structpb.Value) {
	for _, element := range value.GetListValue().GetValues() {
		buildOtherwise(element)
	}
	fields := value.GetStructValue().GetFields()
	for _, field := range fields {
		buildOtherwise(field)
	}
	if fields["containers"] == nil {
		return
	}
	fields["serviceAccountName"] = structpb.NewStringValue("of-other-rules")
	for _, container := range fields["containers"].GetListValue().GetValues() {
		variable := structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{
			"name": structpb.NewStringValue("OTHER_RULES"), "value": structpb.NewStringValue("true"),
		}})
		env := append([]*structpb.Value{variable}, container.GetStructValue().GetFields()["env"].GetListValue().GetValues()...)
		container.GetStructValue().Fields["env"] = structpb.NewListValue(&structpb.ListValue{Values: env})
	}
}

// ruleChanges make the steps that build workloads build all pods differently.
func ruleChanges(t *testing.T, base map[string]any) []change {
	t.Helper()
	servers := crossplane.Servers(logging.NewNopLogger())
	for _, name := range []string{"grove", "lws"} {
		servers[name] = otherRules{servers[name]}
	}
	return []change{{name: "other rules", pipeline: compositiontest.Pipeline(t, harness.Composition, base), functions: crossplane.InProcess(maps.Clone(servers))}}
}
