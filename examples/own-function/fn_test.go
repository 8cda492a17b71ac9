package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

const (
	frontend = `{"apiVersion":"v1","kind":"Service","metadata":{"name":"llama-frontend","namespace":"inference"},
		"spec":{"selector":{"nvidia.com/dynamo-component":"Frontend","nvidia.com/dynamo-component-type":"frontend"}}}`
	worker = `{"apiVersion":"v1","kind":"Service","metadata":{"name":"llama-worker","namespace":"inference"},
		"spec":{"selector":{"nvidia.com/dynamo-component":"Worker"}}}`
	budget = `{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"llama-frontend","namespace":"inference"},
		"spec":{"maxUnavailable":1,"selector":{"matchLabels":{"nvidia.com/dynamo-component":"Frontend","nvidia.com/dynamo-component-type":"frontend"}}}}`
)

func TestRunFunction(t *testing.T) {
	const services = `"services":{"Frontend":{},"Worker":{},"Planner":{}}`
	composed := map[string]string{"service-frontend": frontend, "service-worker": worker}
	cases := map[string]struct {
		reason  string
		context string
		desired map[string]string
		want    map[string]string
		fatal   string
	}{
		"Frontend": {
			reason:  "Frontends get a budget for the pods of their Service; other services, and those without a Service, get none.",
			context: `{"plan.dynamo.nvidia.com":{"version":2,` + services + `}}`,
			desired: composed,
			want:    map[string]string{"service-frontend": frontend, "service-worker": worker, "example-budget-frontend": budget},
		},
		"Held": {
			reason:  "While a graph is held, its desired state is complete.",
			context: `{"plan.dynamo.nvidia.com":{"version":2,"held":"refused"}}`,
			desired: composed,
			want:    composed,
		},
		"NoPlan": {
			reason:  "Without a plan it is not known what the graph needs, so nothing is applied.",
			context: `{}`,
			desired: composed,
			want:    composed,
			fatal:   "the context has no plan.dynamo.nvidia.com: step plan must run before this one",
		},
		"NewerPlan": {
			reason:  "Fields of a plan in another version may mean something else.",
			context: `{"plan.dynamo.nvidia.com":{"version":3,` + services + `}}`,
			desired: composed,
			want:    composed,
			fatal:   "the plan has version 3, and this function knows version 2: update the function",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := &fnv1.RunFunctionRequest{Meta: &fnv1.RequestMeta{Tag: "tag"}, Context: parse(t, tc.context), Desired: state(t, tc.desired)}
			want := &fnv1.RunFunctionResponse{Meta: &fnv1.ResponseMeta{Tag: "tag"}, Context: parse(t, tc.context), Desired: state(t, tc.want)}
			if tc.fatal != "" {
				want.Results = []*fnv1.Result{{Severity: fnv1.Severity_SEVERITY_FATAL, Message: tc.fatal}}
			}
			got, err := (&budgets{}).RunFunction(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nRunFunction(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func parse(t *testing.T, text string) *structpb.Struct {
	t.Helper()
	out := &structpb.Struct{}
	if err := protojson.Unmarshal([]byte(text), out); err != nil {
		t.Fatal(err)
	}
	return out
}

func state(t *testing.T, objects map[string]string) *fnv1.State {
	t.Helper()
	out := &fnv1.State{Resources: map[string]*fnv1.Resource{}}
	for key, text := range objects {
		out.Resources[key] = &fnv1.Resource{Resource: parse(t, text)}
	}
	return out
}
