package pipeline

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/pipelinetest"
)

// TestOverTheWire tests that a function which writes to its request, as the SDK makes easy, changes nothing for its next call.
func TestOverTheWire(t *testing.T) {
	var got []int
	fn := OverTheWire(pipelinetest.Function{Run: func(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
		got = append(got, len(req.GetDesired().GetResources()))
		req.Desired.Resources["mine"] = &fnv1.Resource{}
		return &fnv1.RunFunctionResponse{
			Desired:      req.GetDesired(),
			Requirements: &fnv1.Requirements{Resources: map[string]*fnv1.ResourceSelector{"r": pipelinetest.ByName("one", "ns")}},
		}
	}})
	req := &fnv1.RunFunctionRequest{Desired: &fnv1.State{Resources: map[string]*fnv1.Resource{"other": {}}}}
	if _, err := Crossplane().Call(t.Context(), fn, req, nil, Objects{}); err != nil {
		t.Fatalf("Call(...): unexpected error: %v", err)
	}
	if diff := cmp.Diff([]int{1, 1}, got); diff != "" {
		t.Errorf("Call(...): desired resources at each call: -want, +got:\n%s", diff)
	}
}

// TestOverTheWireEmpty tests that the function cannot tell an empty map from a missing one.
func TestOverTheWireEmpty(t *testing.T) {
	var got map[string]*fnv1.Resource
	fn := OverTheWire(pipelinetest.Function{Run: func(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
		got = req.GetObserved().GetResources()
		return &fnv1.RunFunctionResponse{}
	}})
	req := &fnv1.RunFunctionRequest{Observed: &fnv1.State{Resources: map[string]*fnv1.Resource{}}}
	if _, err := fn.RunFunction(t.Context(), req); err != nil {
		t.Fatalf("RunFunction(...): unexpected error: %v", err)
	}
	if got != nil {
		t.Errorf("RunFunction(...): the function has received an empty map")
	}
}
