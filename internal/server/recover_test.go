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
			reason: "A runtime error is told to the user.",
			run: func(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
				return nil, []error{}[len(req.GetObserved().GetResources())]
			},
			want:    fatal("function fake panicked (runtime error: index out of range [1] with length 0); this is a bug in the function, and its log has the stack trace"),
			wantLog: []string{"index out of range [1]", "recover_test.go", `"tag"="tag"`, `"function"="fake"`},
		},
		"ValueOfTheRequest": {
			reason: "The value of a panic may hold what the request held, so only its type is told.",
			run: func(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
				panic(req.GetObserved().String())
			},
			want:    fatal("function fake panicked (a value of type string); this is a bug in the function, and its log has the stack trace"),
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
			want: fatal("function fake panicked (a value of type []uint8); this is a bug in the function, and its log has the stack trace"),
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

	// What comes over the wire may lack the kind of any value.
	none := &structpb.Value{}
	conditions := structpb.NewListValue(&structpb.ListValue{Values: []*structpb.Value{nil, none, structpb.NewStructValue(nil)}})
	withStatus := func(status *structpb.Value) *fnv1.RunFunctionRequest {
		xr := &structpb.Struct{Fields: map[string]*structpb.Value{"status": status}}
		return &fnv1.RunFunctionRequest{
			Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: xr}},
			Context:  &structpb.Struct{Fields: map[string]*structpb.Value{"plan.dynamo.nvidia.com": nil}},
		}
	}
	for name, req := range map[string]*fnv1.RunFunctionRequest{
		"None":         nil,
		"Empty":        {},
		"NoStatus":     withStatus(nil),
		"NoKind":       withStatus(none),
		"NoConditions": withStatus(structpb.NewStructValue(nil)),
		"NoCondition":  withStatus(structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{"conditions": conditions}})),
	} {
		got, err := fn.Runner.RunFunction(t.Context(), req)
		if err != nil {
			t.Fatalf("%s: RunFunction(...): unexpected error: %v", name, err)
		}
		if len(got.GetResults()) != 1 || got.GetResults()[0].GetSeverity() != fnv1.Severity_SEVERITY_FATAL || len(got.GetConditions()) > 0 {
			t.Errorf("%s: RunFunction(...): want one Fatal and no condition for such a request, got %v", name, got)
		}
	}
}

// TestRecoverConditions shows that a panic leaves the conditions of the composite resource as they are: Crossplane turns
// those that the step of a Fatal does not return to Unknown.
func TestRecoverConditions(t *testing.T) {
	const (
		conditions = `{"status":{"conditions":[
			{"type":"Ready","status":"True","reason":"Available"},
			{"type":"Accepted","status":"True","reason":"Valid"},
			{"type":"ServicesReady","status":"True","reason":"all_resources_are_ready","message":"all"}]}}`
		planned = `{"plan.dynamo.nvidia.com":{"version":2}}`
	)
	accepted := &fnv1.Condition{
		Type: "Accepted", Status: fnv1.Status_STATUS_CONDITION_TRUE, Reason: "Valid",
		Target: fnv1.Target_TARGET_COMPOSITE_AND_CLAIM.Enum(),
	}
	ready := &fnv1.Condition{
		Type: "ServicesReady", Status: fnv1.Status_STATUS_CONDITION_TRUE, Reason: "all_resources_are_ready", Message: new("all"),
		Target: fnv1.Target_TARGET_COMPOSITE_AND_CLAIM.Enum(),
	}

	cases := map[string]struct {
		reason  string
		plans   bool
		xr      string
		context string
		want    []*fnv1.Condition
	}{
		"BeforePlan": {
			reason:  "Nobody has returned any condition yet, so all are repeated but Crossplane's own.",
			xr:      conditions,
			context: `{}`,
			want:    []*fnv1.Condition{accepted, ready},
		},
		"BehindPlan": {
			reason:  "What the plan has just returned is newer than what is observed.",
			xr:      conditions,
			context: planned,
			want:    []*fnv1.Condition{ready},
		},
		"Plan": {
			reason:  "A plan that is there already is of the function's own call before, whose conditions are gone.",
			plans:   true,
			xr:      conditions,
			context: planned,
			want:    []*fnv1.Condition{accepted, ready},
		},
		"Odd": {
			reason:  "What is no list of conditions is passed over.",
			xr:      `{"status":{"conditions":{"type":"Accepted"}}}`,
			context: `{"plan.dynamo.nvidia.com":null}`,
		},
		"OddEntries": {
			reason:  "What is no condition is passed over.",
			xr:      `{"status":{"conditions":[null,1,"x",[],{},{"type":1},{"type":"Accepted"},{"type":"Accepted","reason":["Valid"]}]}}`,
			context: `{}`,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			fn := fake(func(context.Context, *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
				panic("half way")
			})
			fn.Plans = tc.plans
			req := &fnv1.RunFunctionRequest{
				Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: resource.MustStructJSON(tc.xr)}},
				Context:  resource.MustStructJSON(tc.context),
			}

			got, err := Recover(fn, logging.NewNopLogger()).Runner.RunFunction(t.Context(), req)
			if err != nil {
				t.Fatalf("\n%s\nRunFunction(...): unexpected error: %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.want, got.GetConditions(), protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nRunFunction(...): -want, +got conditions:\n%s", tc.reason, diff)
			}
		})
	}
}
