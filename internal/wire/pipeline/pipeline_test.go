package pipeline

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/pipelinetest"
)

// says appends its name to the desired state, the context and the conditions, and ends with a Fatal result where it is told to.
func says(name string, fatal bool) pipelinetest.Function {
	return pipelinetest.Function{Run: func(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
		rsp := &fnv1.RunFunctionResponse{Desired: req.GetDesired(), Context: req.GetContext(), Conditions: []*fnv1.Condition{{Type: name}}}
		if rsp.GetDesired().GetResources() == nil {
			rsp.Desired = &fnv1.State{Resources: map[string]*fnv1.Resource{}}
		}
		rsp.Desired.Resources[name] = &fnv1.Resource{}
		rsp.Context = &structpb.Struct{Fields: with(map[string]*structpb.Value{name: structpb.NewStringValue(name)}, req.GetContext().GetFields())}
		if fatal {
			rsp.Results = []*fnv1.Result{{Severity: fnv1.Severity_SEVERITY_FATAL}}
		}
		return rsp
	}}
}

func TestRun(t *testing.T) {
	observed := &fnv1.State{Composite: &fnv1.Resource{Resource: resource.MustStructJSON(`{"kind":"X"}`)}}
	given, input := resource.MustStructJSON(`{"given":"given"}`), resource.MustStructJSON(`{"kind":"Input"}`)
	// The requests of steps called "one" and "two" without what Crossplane signs them with.
	first := &fnv1.RunFunctionRequest{Observed: observed, Input: input, Context: given, Desired: &fnv1.State{}}
	second := &fnv1.RunFunctionRequest{
		Observed: observed, Context: resource.MustStructJSON(`{"given":"given","one":"one"}`),
		Desired: &fnv1.State{Resources: map[string]*fnv1.Resource{"one": {}}},
	}
	cases := map[string]struct {
		reason string
		steps  []Step
		want   []*fnv1.RunFunctionRequest
		err    string
	}{
		"PassedOn": {
			reason: "Each step gets its own input, and the desired state and the context of the step before.",
			steps:  []Step{{Name: "one", Function: says("one", false), Input: input}, {Name: "two", Function: says("two", false)}},
			want:   []*fnv1.RunFunctionRequest{first, second},
		},
		"Fatal": {
			reason: "Nothing runs after a Fatal result.",
			steps:  []Step{{Name: "one", Function: says("one", true), Input: input}, {Name: "two", Function: says("two", false)}},
			want:   []*fnv1.RunFunctionRequest{first},
		},
		"Error": {
			reason: "An error names the step, and leaves the calls before it.",
			steps: []Step{
				{Name: "one", Function: says("one", false), Input: input},
				{Name: "two", Function: pipelinetest.Function{Run: func(*fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse { return nil }}},
			},
			want: []*fnv1.RunFunctionRequest{first},
			err:  `cannot run pipeline step "two": no response`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for i := range tc.steps {
				tc.steps[i].Function = OverTheWire(tc.steps[i].Function)
			}
			run, err := Crossplane().Run(t.Context(), tc.steps, observed, given, Objects{})
			if err == nil && tc.err != "" || err != nil && err.Error() != tc.err {
				t.Errorf("%s\nRun(...): want error %q, got %v", tc.reason, tc.err, err)
			}
			var got []*fnv1.RunFunctionRequest
			for i, call := range run.Calls {
				req := call.Requests[len(call.Requests)-1]
				if call.Step != tc.steps[i].Name || req.GetMeta().GetTag() == "" || len(req.GetMeta().GetCapabilities()) == 0 {
					t.Errorf("%s\nRun(...): want a signed request of step %s, got %v of step %s", tc.reason, tc.steps[i].Name, req.GetMeta(), call.Step)
				}
				got = append(got, req)
			}
			if diff := cmp.Diff(tc.want, got, protocmp.Transform(), protocmp.IgnoreFields(&fnv1.RunFunctionRequest{}, "meta")); diff != "" {
				t.Errorf("%s\nRun(...): requests: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
