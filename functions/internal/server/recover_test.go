package server

import (
	"context"
	"strings"
	"testing"

	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"
	"github.com/crossplane/function-sdk-go/response"
)

// secret is in every request of these tests and may not leave it.
const secret = "do-not-log-me"

// A runnerFunc is a function that is a plain Go function.
type runnerFunc func(context.Context, *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error)

func (f runnerFunc) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	return f(ctx, req)
}

type runner struct {
	fnv1.UnimplementedFunctionRunnerServiceServer
	runnerFunc
}

// RunFunction resolves which of the two embedded implementations is meant.
func (r runner) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	return r.runnerFunc(ctx, req)
}

func fake(f runnerFunc) Function {
	return Function{Name: "fake", Runner: runner{runnerFunc: f}}
}

func request() *fnv1.RunFunctionRequest {
	return &fnv1.RunFunctionRequest{
		Meta: &fnv1.RequestMeta{Tag: "tag"},
		Observed: &fnv1.State{Resources: map[string]*fnv1.Resource{
			"ssh": {Resource: resource.MustStructJSON(`{"kind":"Secret","data":{"key":"` + secret + `"}}`)},
		}},
		Desired: &fnv1.State{
			Composite: &fnv1.Resource{Resource: resource.MustStructJSON(`{"status":{"state":"pending"}}`)},
			Resources: map[string]*fnv1.Resource{"service": {Resource: resource.MustStructJSON(`{"kind":"Service"}`)}},
		},
		Context: resource.MustStructJSON(`{"key":"value"}`),
	}
}

func fatal(message string) *fnv1.RunFunctionResponse {
	return &fnv1.RunFunctionResponse{
		Meta: &fnv1.ResponseMeta{Tag: "tag", Ttl: durationpb.New(response.DefaultTTL)},
		Desired: &fnv1.State{
			Composite: &fnv1.Resource{Resource: resource.MustStructJSON(`{"status":{"state":"pending"}}`)},
			Resources: map[string]*fnv1.Resource{"service": {Resource: resource.MustStructJSON(`{"kind":"Service"}`)}},
		},
		Context: resource.MustStructJSON(`{"key":"value"}`),
		Results: []*fnv1.Result{{
			Severity: fnv1.Severity_SEVERITY_FATAL,
			Message:  message,
			Target:   fnv1.Target_TARGET_COMPOSITE.Enum(),
		}},
	}
}

func TestRecover(t *testing.T) {
	cases := map[string]struct {
		reason  string
		run     runnerFunc
		want    *fnv1.RunFunctionResponse
		wantLog []string
	}{
		"NoPanic": {
			reason: "A response is handed on as it is.",
			run: func(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
				return &fnv1.RunFunctionResponse{Meta: &fnv1.ResponseMeta{Tag: req.GetMeta().GetTag()}}, nil
			},
			want: &fnv1.RunFunctionResponse{Meta: &fnv1.ResponseMeta{Tag: "tag"}},
		},
		"RuntimeError": {
			reason: "A runtime error is told to the user; desired state and context are passed through.",
			run: func(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
				return nil, []error{}[len(req.GetObserved().GetResources())]
			},
			want:    fatal("function fake panicked (runtime error: index out of range [1] with length 0): this is a defect of the function, its log has the stack"),
			wantLog: []string{"index out of range [1]", "recover_test.go", `"tag"="tag"`, `"function"="fake"`},
		},
		"ValueOfTheRequest": {
			reason: "The value of a panic may hold what the request held, so only its type is told.",
			run: func(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
				panic(req.GetObserved().String())
			},
			want:    fatal("function fake panicked (a value of type string): this is a defect of the function, its log has the stack"),
			wantLog: []string{"a value of type string", "recover_test.go"},
		},
		"HalfWrittenState": {
			reason: "What the function wrote before it panicked is not handed on, though it shares its state with the request.",
			run: func(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
				rsp := response.To(req, response.DefaultTTL)
				rsp.Desired.Resources["service"] = nil
				rsp.Desired.Resources["half"] = &fnv1.Resource{}
				rsp.Desired.Composite = nil
				response.SetContextKey(rsp, "half", structpb.NewBoolValue(true))
				panic([]byte(secret))
			},
			want: fatal("function fake panicked (a value of type []uint8): this is a defect of the function, its log has the stack"),
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var log strings.Builder
			sink := funcr.New(func(_, args string) { log.WriteString(args) }, funcr.Options{})

			got, err := Recover(fake(tc.run), logging.NewLogrLogger(sink)).Runner.RunFunction(t.Context(), request())
			if err != nil {
				t.Fatalf("\n%s\nRunFunction(...): unexpected error: %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.want, got, protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nRunFunction(...): -want, +got:\n%s", tc.reason, diff)
			}
			for _, want := range tc.wantLog {
				if !strings.Contains(log.String(), want) {
					t.Errorf("\n%s\nlog has no %q:\n%s", tc.reason, want, log.String())
				}
			}
			if strings.Contains(log.String()+got.String(), secret) {
				t.Errorf("\n%s\nlog or response holds content of the request:\n%s", tc.reason, log.String())
			}
		})
	}
}

func TestRecoverEmptyRequest(t *testing.T) {
	fn := Recover(fake(func(context.Context, *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
		panic("always")
	}), logging.NewNopLogger())

	got, err := fn.Runner.RunFunction(t.Context(), &fnv1.RunFunctionRequest{})
	if err != nil {
		t.Fatalf("RunFunction(...): unexpected error: %v", err)
	}
	if len(got.GetResults()) != 1 || got.GetResults()[0].GetSeverity() != fnv1.Severity_SEVERITY_FATAL {
		t.Errorf("RunFunction(...): want one Fatal for an empty request, got %v", got)
	}
}
