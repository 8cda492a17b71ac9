package response

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	sdk "github.com/crossplane/function-sdk-go/response"
)

// request with a tag, desired state and a context.
func request() *fnv1.RunFunctionRequest {
	return &fnv1.RunFunctionRequest{
		Meta:    &fnv1.RequestMeta{Tag: "tag"},
		Desired: &fnv1.State{Resources: map[string]*fnv1.Resource{"service": {Ready: fnv1.Ready_READY_TRUE}}},
		Context: &structpb.Struct{Fields: map[string]*structpb.Value{"key": structpb.NewStringValue("value")}},
	}
}

// TestResponse holds the package to the one of function-sdk-go.
func TestResponse(t *testing.T) {
	cases := map[string]struct {
		reason    string
		got, want func(*fnv1.RunFunctionResponse)
	}{
		"To": {
			reason: "A response begins with the tag, the desired state and the context of its request.",
			got:    func(*fnv1.RunFunctionResponse) {},
			want:   func(*fnv1.RunFunctionResponse) {},
		},
		"Fatal": {
			reason: "A Fatal result is one of the composite resource.",
			got:    func(rsp *fnv1.RunFunctionResponse) { Fatal(rsp, errors.New("a message")) },
			want:   func(rsp *fnv1.RunFunctionResponse) { sdk.Fatal(rsp, errors.New("a message")) },
		},
		"Warning": {
			reason: "A warning reaches the claim too.",
			got:    func(rsp *fnv1.RunFunctionResponse) { Warning(rsp, "Reason", "a message") },
			want: func(rsp *fnv1.RunFunctionResponse) {
				sdk.Warning(rsp, errors.New("a message")).WithReason("Reason").TargetCompositeAndClaim()
			},
		},
		"Several": {
			reason: "Results keep their order.",
			got: func(rsp *fnv1.RunFunctionResponse) {
				Normal(rsp, "First", "one")
				Normal(rsp, "Second", "two")
			},
			want: func(rsp *fnv1.RunFunctionResponse) {
				sdk.Normal(rsp, "one").WithReason("First").TargetCompositeAndClaim()
				sdk.Normal(rsp, "two").WithReason("Second").TargetCompositeAndClaim()
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, want := To(request(), time.Hour), sdk.To(request(), time.Hour)
			tc.got(got)
			tc.want(want)
			if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
