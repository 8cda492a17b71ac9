package foundation

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"
)

// graphOf a spec, JSON, called llama in namespace inference.
func graphOf(spec string) *fnv1.Resource {
	return &fnv1.Resource{Resource: resource.MustStructJSON(`{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment",
		"metadata":{"name":"llama","namespace":"inference"},"spec":` + spec + `}`)}
}

// planOf the graph on Grove: fields, JSON without braces, beside the version and the orchestrator.
func planOf(fields string) string {
	return `{"version":1,"orchestrator":"Grove","grove":{"terminationDelay":"15m0s"},"totalGPUs":0,` + fields + `}`
}

// decided is the part of a plan for services that make the same decision.
func decided(discovery string, services ...string) string {
	parts := make([]string, 0, len(services))
	for _, name := range services {
		parts = append(parts, `"`+name+`":{"discovery":"`+discovery+`","dynamoNamespace":"inference-llama"}`)
	}
	return `"services":{` + strings.Join(parts, ",") + `}`
}

func request(spec, plan string) *fnv1.RunFunctionRequest {
	return &fnv1.RunFunctionRequest{
		Meta:     &fnv1.RequestMeta{Tag: "tag"},
		Observed: &fnv1.State{Composite: graphOf(spec)},
		Context:  resource.MustStructJSON(`{"plan.dynamo.nvidia.com":` + plan + `}`),
	}
}

// answer is the response to a request with this desired state, and nothing else.
func answer(req *fnv1.RunFunctionRequest, desired *fnv1.State) *fnv1.RunFunctionResponse {
	return &fnv1.RunFunctionResponse{
		Meta:    &fnv1.ResponseMeta{Tag: "tag", Ttl: durationpb.New(10 * time.Minute)},
		Context: req.GetContext(),
		Desired: desired,
	}
}

// refused is the response to a request that ends the pipeline.
func refused(req *fnv1.RunFunctionRequest, message string) *fnv1.RunFunctionResponse {
	rsp := answer(req, req.GetDesired())
	rsp.Results = []*fnv1.Result{{Severity: fnv1.Severity_SEVERITY_FATAL, Message: message, Target: fnv1.Target_TARGET_COMPOSITE.Enum()}}
	return rsp
}

// state desires these objects, JSON, by key.
func state(objects map[string]string) *fnv1.State {
	s := &fnv1.State{Resources: map[string]*fnv1.Resource{}}
	for key, object := range objects {
		s.Resources[key] = &fnv1.Resource{Resource: resource.MustStructJSON(object)}
	}
	return s
}

func run(t *testing.T, req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	t.Helper()
	rsp, err := NewFunction(logging.NewNopLogger()).RunFunction(context.Background(), req)
	if err != nil {
		t.Fatalf("RunFunction(...): want no error, got %v", err)
	}
	return rsp
}

// partCase is a part of the foundation of a graph: the composed resources whose keys begin so.
type partCase struct {
	reason string
	req    *fnv1.RunFunctionRequest
	want   map[string]string
}

func compareParts(t *testing.T, prefix string, cases map[string]partCase) {
	t.Helper()
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			rsp := run(t, tc.req)
			if results := rsp.GetResults(); len(results) > 0 {
				t.Fatalf("%s\nRunFunction(...): want no results, got %v", tc.reason, results)
			}
			got := map[string]*fnv1.Resource{}
			for key, object := range rsp.GetDesired().GetResources() {
				if strings.HasPrefix(key, prefix) {
					got[key] = object
				}
			}
			if diff := cmp.Diff(state(tc.want).GetResources(), got, protocmp.Transform()); diff != "" {
				t.Errorf("%s\ncomposed resources %s*: -want, +got:\n%s", tc.reason, prefix, diff)
			}
		})
	}
}
