package server

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"
	sdk "github.com/crossplane/function-sdk-go/response"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
)

// sized answers a request with a response of so many bytes.
func sized(t *testing.T, bytes int) Function {
	t.Helper()
	rsp := &fnv1.RunFunctionResponse{Meta: &fnv1.ResponseMeta{Tag: "tag"}, Desired: &fnv1.State{Composite: &fnv1.Resource{
		Resource: &structpb.Struct{Fields: map[string]*structpb.Value{"a": structpb.NewStringValue(strings.Repeat("x", bytes))}},
	}}}
	sdk.ConditionTrue(rsp, "ServicesReady", "all_resources_are_ready").TargetCompositeAndClaim()
	excess := proto.Size(rsp) - bytes
	rsp.Desired.Composite.Resource.Fields["a"] = structpb.NewStringValue(strings.Repeat("x", bytes-excess))
	if size := proto.Size(rsp); size != bytes {
		t.Fatalf("the response has %d bytes, want %d", size, bytes)
	}
	return fake(func(context.Context, *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) { return rsp, nil })
}

// TestLimit calls functions as Crossplane does, whose client has gRPC's own limit, and as the renderer does.
func TestLimit(t *testing.T) {
	req := &fnv1.RunFunctionRequest{
		Meta: &fnv1.RequestMeta{Tag: "tag"},
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: resource.MustStructJSON(`{"status":{"conditions":[
			{"type":"ServicesReady","status":"False","reason":"some_resources_are_not_ready"},
			{"type":"QueueAvailable","status":"True","reason":"QueueFound","message":"it exists"}]}}`)}},
		Desired: &fnv1.State{Resources: map[string]*fnv1.Resource{"a": {Resource: resource.MustStructJSON(`{"kind":"Service"}`)}}},
	}
	refused := func(size int) *fnv1.RunFunctionResponse {
		rsp := &fnv1.RunFunctionResponse{Meta: &fnv1.ResponseMeta{Tag: "tag"}}
		sdk.ConditionTrue(rsp, "ServicesReady", "all_resources_are_ready").TargetCompositeAndClaim()
		sdk.ConditionTrue(rsp, "QueueAvailable", "QueueFound").TargetCompositeAndClaim().WithMessage("it exists")
		sdk.Fatal(rsp, fmt.Errorf("the response of function fake has %d bytes, but Crossplane accepts at most 4194304 (4 MiB); use fewer replicas, shorter args and envs, or several graphs", size))
		return rsp
	}

	cases := map[string]struct {
		reason string
		bytes  int
		want   *fnv1.RunFunctionResponse
	}{
		"Small":    {reason: "A response that is received is handed on.", bytes: 1 << 10},
		"Most":     {reason: "A response that is as large as can be is handed on.", bytes: response.MaxSize},
		"TooLarge": {reason: "A response that is too large becomes a Fatal with the conditions of the step and those observed.", bytes: response.MaxSize + 1, want: refused(response.MaxSize + 1)},
		"Huge":     {reason: "A response that is far too large becomes a Fatal.", bytes: 20 << 20, want: refused(20 << 20)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			fn := sized(t, tc.bytes)
			if tc.want == nil {
				tc.want, _ = fn.Runner.RunFunction(t.Context(), req)
			}
			rendered, err := Limit(fn).Runner.RunFunction(t.Context(), req)
			if err != nil {
				t.Fatalf("%s\nRunFunction(...): unexpected error: %v", tc.reason, err)
			}
			conn, _, _ := start(t, fn)
			served, err := fnv1.NewFunctionRunnerServiceClient(conn).RunFunction(t.Context(), req)
			if err != nil {
				t.Fatalf("%s\nRunFunction(...) over gRPC: unexpected error: %v", tc.reason, err)
			}
			for how, got := range map[string]*fnv1.RunFunctionResponse{"rendered": rendered, "served": served} {
				if diff := cmp.Diff(tc.want, got, protocmp.Transform()); diff != "" {
					t.Errorf("%s\n%s: -want, +got:\n%.2000s", tc.reason, how, diff)
				}
			}
		})
	}
}
