package scalingadapter

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/durationpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
)

// others says that it was called.
type others struct {
	fnv1.UnimplementedFunctionRunnerServiceServer
}

func (others) RunFunction(context.Context, *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	return &fnv1.RunFunctionResponse{Results: []*fnv1.Result{{Message: "called"}}}, nil
}

// TestRunFunction shows where the status of an adapter comes from.
func TestRunFunction(t *testing.T) {
	const (
		selector  = "nvidia.com/dynamo-component=Decode,nvidia.com/dynamo-graph-deployment-name=llama"
		component = `"componentName":"Decode"`
		service   = `"serviceName":"Decode"`
		units     = `"serviceName":"Prefill=1,Decode=2"`
	)
	// adapter of three replicas, with its reference to the component, and its status.
	adapter := func(ref, status string) string {
		return `{"apiVersion":"nvidia.com/v1beta1","kind":"DynamoGraphDeploymentScalingAdapter","metadata":{"name":"llama-decode","namespace":"inference",
			"annotations":{"dynamo.nvidia.com/pod-selector":"` + selector + `"}},"spec":{"replicas":3,"dgdRef":{"name":"llama",` + ref + `}},"status":` + status + `}`
	}
	graph := func(status string) []string {
		return []string{`{"apiVersion":"nvidia.com/v1beta1","kind":"DynamoGraphDeployment","metadata":{"name":"llama","namespace":"inference"},"status":` + status + `}`}
	}
	cases := map[string]struct {
		reason  string
		adapter string
		// graph that is delivered. Without an item it does not exist, and if it is nil it is not delivered yet.
		graph []string
		want  string
		ttl   time.Duration
	}{
		"NotDelivered": {
			reason:  "Until the graph is delivered, the number of replicas stays.",
			adapter: adapter(component, `{"replicas":2}`), want: `{"replicas":2,"selector":"` + selector + `"}`, ttl: 30 * time.Second,
		},
		"New": {
			reason:  "A number that is not known is no 0.",
			adapter: adapter(component, `{}`), want: `{"selector":"` + selector + `"}`, ttl: 30 * time.Second,
		},
		"Ready": {
			reason:  "The replicas are those that are ready, and nothing is to be done when they are those that are wanted.",
			adapter: adapter(component, `{"replicas":2}`), graph: graph(`{"components":{"Decode":{"replicas":4,"readyReplicas":3,"availableReplicas":2},"Prefill":{"readyReplicas":9}}}`),
			want: `{"replicas":3,"selector":"` + selector + `"}`, ttl: 10 * time.Minute,
		},
		"Service": {
			reason:  "A graph with services reports them under another key, and the adapter names a service in either form.",
			adapter: adapter(service, `{}`), graph: graph(`{"services":{"Decode":{"readyReplicas":1}}}`),
			want: `{"replicas":1,"selector":"` + selector + `"}`, ttl: 30 * time.Second,
		},
		"Available": {
			reason:  "A PodCliqueScalingGroup counts available replicas only.",
			adapter: adapter(service, `{}`), graph: graph(`{"components":{"Decode":{"availableReplicas":3}}}`),
			want: `{"replicas":3,"selector":"` + selector + `"}`, ttl: 10 * time.Minute,
		},
		"Zero": {
			reason:  "A component that nothing runs has no ready replicas.",
			adapter: adapter(component, `{"replicas":2}`), graph: graph(`{"components":{"Decode":{"replicas":0}}}`),
			want: `{"replicas":0,"selector":"` + selector + `"}`, ttl: 30 * time.Second,
		},
		"Units": {
			reason:  "The adapter of several components has as many replicas as there are whole units.",
			adapter: adapter(units, `{"replicas":3}`), graph: graph(`{"components":{"Decode":{"readyReplicas":5},"Prefill":{"readyReplicas":3}}}`),
			want: `{"replicas":2,"selector":"` + selector + `"}`, ttl: 30 * time.Second,
		},
		"WholeUnits": {
			reason:  "What is no whole unit yet does not count.",
			adapter: adapter(units, `{"replicas":2}`), graph: graph(`{"components":{"Decode":{"availableReplicas":7},"Prefill":{"readyReplicas":3}}}`),
			want: `{"replicas":3,"selector":"` + selector + `"}`, ttl: 10 * time.Minute,
		},
		"UnitsUnreported": {
			reason:  "While the status lacks a component, the number of units is not known.",
			adapter: adapter(units, `{"replicas":2}`), graph: graph(`{"components":{"Decode":{"readyReplicas":4}}}`),
			want: `{"replicas":2,"selector":"` + selector + `"}`, ttl: 30 * time.Second,
		},
		"Unreported": {
			reason:  "A graph without a status does not say that nothing is ready.",
			adapter: adapter(component, `{"replicas":2}`), graph: graph(`{}`),
			want: `{"replicas":2,"selector":"` + selector + `"}`, ttl: 30 * time.Second,
		},
		"GraphGone": {
			reason:  "The adapter of a graph that is being deleted keeps its status.",
			adapter: adapter(component, `{"replicas":2}`), graph: []string{},
			want: `{"replicas":2,"selector":"` + selector + `"}`, ttl: 30 * time.Second,
		},
		"Unresponsive": {
			reason:  "While Crossplane drops events, the status of the graph is read by time.",
			adapter: adapter(component, `{"replicas":3,"conditions":[{"type":"Responsive","status":"False"}]}`), graph: graph(`{"components":{"Decode":{"readyReplicas":3}}}`),
			want: `{"replicas":3,"selector":"` + selector + `"}`, ttl: 30 * time.Second,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := &fnv1.RunFunctionRequest{
				Meta: &fnv1.RequestMeta{Tag: "tag", Capabilities: []fnv1.Capability{
					fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES,
				}},
				Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: resource.MustStructJSON(tc.adapter)}},
				// What steps before have composed is passed on.
				Desired: &fnv1.State{Resources: map[string]*fnv1.Resource{"of another step": {}}},
			}
			if tc.graph != nil {
				answer := &fnv1.Resources{}
				for _, object := range tc.graph {
					answer.Items = append(answer.Items, &fnv1.Resource{Resource: resource.MustStructJSON(object)})
				}
				req.RequiredResources = map[string]*fnv1.Resources{"graph": answer}
			}
			want := &fnv1.RunFunctionResponse{
				Meta:    &fnv1.ResponseMeta{Tag: "tag", Ttl: durationpb.New(tc.ttl)},
				Desired: &fnv1.State{Composite: &fnv1.Resource{Resource: resource.MustStructJSON(`{"status":` + tc.want + `}`)}, Resources: req.GetDesired().GetResources()},
				Requirements: &fnv1.Requirements{Resources: map[string]*fnv1.ResourceSelector{"graph": {
					ApiVersion: "nvidia.com/v1beta1", Kind: "DynamoGraphDeployment", Namespace: new("inference"),
					Match: &fnv1.ResourceSelector_MatchName{MatchName: "llama"},
				}}},
			}
			if diff := cmp.Diff(want, steptest.Run(t, Beside(others{}), req), protocmp.Transform()); diff != "" {
				t.Errorf("%s\nRunFunction(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestOthers shows that graphs are served by the other function.
func TestOthers(t *testing.T) {
	got := steptest.Run(t, Beside(others{}), steptest.Request(`{}`, `{}`))
	want := &fnv1.RunFunctionResponse{Results: []*fnv1.Result{{Message: "called"}}}
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
		t.Errorf("RunFunction(...): -want, +got:\n%s", diff)
	}
}
