package step

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"
	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"
	sdk "github.com/crossplane/function-sdk-go/response"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
)

const (
	graphJSON = `{"kind":"DynamoGraphDeployment","metadata":{"name":"llama","namespace":"inference"},"spec":{"services":{"Frontend":{}}}}`
	planJSON  = `{"plan.dynamo.nvidia.com":{"version":2,"release":"development","orchestrator":"Deployment","services":{},"totalGPUs":0}}`
)

// requestFor a graph with this plan in the context, both JSON.
func requestFor(graph, plan string) *fnv1.RunFunctionRequest {
	return &fnv1.RunFunctionRequest{
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: resource.MustStructJSON(graph)}},
		Context:  resource.MustStructJSON(plan),
	}
}

func TestInputs(t *testing.T) {
	cases := map[string]struct {
		reason string
		req    *fnv1.RunFunctionRequest
		want   string
		err    string
	}{
		"Both": {
			reason: "A step gets the graph and the plan.",
			req:    requestFor(graphJSON, planJSON),
			want:   "llama Deployment",
		},
		"Scaled": {
			reason: "The number of a scaling adapter counts in every step.",
			req:    requestFor(graphJSON, strings.Replace(planJSON, `"services":{}`, `"services":{"Frontend":{"discovery":"etcd","dynamoNamespace":"n","replicas":5}}`, 1)),
			want:   "llama Deployment Frontend=5",
		},
		"InputGiven": {
			reason: "An input that no step reads would be ignored silently.",
			req:    &fnv1.RunFunctionRequest{Input: resource.MustStructJSON(`{}`), Context: resource.MustStructJSON(planJSON)},
			err:    "this step does not support input; remove the input from the Composition, and set policy in the input of step plan",
		},
		"NoPlan": {
			reason: "A missing plan is never silence.",
			req:    &fnv1.RunFunctionRequest{},
			err: "the pipeline context has no plan (key plan.dynamo.nvidia.com): step plan must run before this step, " +
				"and the resources that step plan requires must be provided",
		},
		"OtherRelease": {
			reason: "Steps of two releases do not work together, whatever they can read.",
			req:    requestFor(graphJSON, strings.Replace(planJSON, "development", "v0.2.0+0a1b", 1)),
			err:    "step plan has release v0.2.0+0a1b, but this step has release development; install packages of the same build for all steps; nothing is changed until then",
		},
		"InvalidGraph": {
			reason: "Should step plan be of another version, then what it let through is refused here.",
			req:    requestFor(`{"kind":"DynamoGraphDeployment","spec":{"servces":1}}`, planJSON),
			err:    `cannot read the DynamoGraphDeployment: spec.servces: Invalid value: 1: unknown field; did you mean "services"?`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g, p, err := Inputs(tc.req)
			if err != nil || tc.err != "" {
				if diff := cmp.Diff(tc.err, errorText(err)); diff != "" {
					t.Errorf("%s\nInputs(...): -want error, +got error:\n%s", tc.reason, diff)
				}
				return
			}
			described := []string{g.Name, string(p.Orchestrator)}
			for name, replicas := range g.Scaled {
				described = append(described, fmt.Sprintf("%s=%d", name, replicas))
				if g.Component(name).Replicas() != replicas {
					t.Errorf("%s\nInputs(...): want %d replicas in the spec of %s", tc.reason, replicas, name)
				}
			}
			if got := strings.Join(described, " "); got != tc.want {
				t.Errorf("%s\nInputs(...): want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestFatal(t *testing.T) {
	const observed = `{"status":{"conditions":[
		{"type":"Ready","status":"True","reason":"Available"},
		{"type":"Accepted","status":"False","reason":"Invalid","message":"old"},
		{"type":"OrchestratorSelected","status":"True","reason":"Remembered"},
		{"type":"QueueAvailable","status":"True","reason":"QueueFound"},
		{"type":"ServicesReady","status":"True","reason":"all_resources_are_ready"}]}}`
	condition := func(conditionType string, status fnv1.Status, reason string) *fnv1.Condition {
		return &fnv1.Condition{Type: conditionType, Status: status, Reason: reason, Target: fnv1.Target_TARGET_COMPOSITE_AND_CLAIM.Enum()}
	}
	accepted := condition("Accepted", fnv1.Status_STATUS_CONDITION_FALSE, "Invalid")
	accepted.Message = new("old")
	down := condition("ServicesReady", fnv1.Status_STATUS_CONDITION_FALSE, "pods_not_ready")
	down.Message = new("Resources not ready: llama: Frontend: scheduled but ready=0/1 (PodClique llama-0-frontend)")
	results := []*fnv1.Result{{Severity: fnv1.Severity_SEVERITY_FATAL, Message: "boom", Target: fnv1.Target_TARGET_COMPOSITE.Enum()}}

	cases := map[string]struct {
		reason string
		req    *fnv1.RunFunctionRequest
		want   *fnv1.RunFunctionResponse
	}{
		"BeforePlan": {
			reason: "Crossplane sets every condition that is not returned to Unknown, so all except its own are repeated.",
			req:    &fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: resource.MustStructJSON(observed)}}},
			want: &fnv1.RunFunctionResponse{
				Results: results,
				Conditions: []*fnv1.Condition{
					accepted,
					condition("OrchestratorSelected", fnv1.Status_STATUS_CONDITION_TRUE, "Remembered"),
					condition("QueueAvailable", fnv1.Status_STATUS_CONDITION_TRUE, "QueueFound"),
					condition("ServicesReady", fnv1.Status_STATUS_CONDITION_TRUE, "all_resources_are_ready"),
				},
			},
		},
		"BehindPlan": {
			reason: "What step plan has just returned is newer than what is observed, and the last one to speak wins.",
			req:    requestFor(observed, planJSON),
			want: &fnv1.RunFunctionResponse{
				Results:    results,
				Conditions: []*fnv1.Condition{condition("ServicesReady", fnv1.Status_STATUS_CONDITION_TRUE, "all_resources_are_ready")},
			},
		},
		"PodsDied": {
			reason: "Whether services are ready is judged by what is observed, on Grove by the children in the plan.",
			req: &fnv1.RunFunctionRequest{
				Observed: &fnv1.State{
					Composite: &fnv1.Resource{Resource: resource.MustStructJSON(strings.Replace(observed, `"status":{`,
						`"status":{"services":{"Frontend":{"componentKind":"PodClique","componentNames":["llama-0-frontend"]}},`, 1))},
					Resources: map[string]*fnv1.Resource{"podcliqueset": {Resource: resource.MustStructJSON(`{"kind":"PodCliqueSet","metadata":{"name":"llama","generation":1},
						"spec":{"replicas":1},"status":{"observedGeneration":1,"availableReplicas":1}}`)}},
				},
				Context: resource.MustStructJSON(`{"plan.dynamo.nvidia.com":{"version":2,"release":"development","orchestrator":"Grove","grove":{"terminationDelay":"15m0s"},"services":{},"totalGPUs":0,
					"children":{"Frontend":{"kind":"PodClique","name":"llama-0-frontend","generation":1,"observedGeneration":1,"specReplicas":1,"replicas":1,"updatedReplicas":1,
						"readyReplicas":0,"availableReplicas":0,"scheduledReplicas":1}}}}`),
			},
			want: &fnv1.RunFunctionResponse{Results: results, Conditions: []*fnv1.Condition{down}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := Fatal(&fnv1.RunFunctionResponse{}, tc.req, errors.New("boom"))
			if diff := cmp.Diff(tc.want, got, protocmp.Transform()); diff != "" {
				t.Errorf("%s\nFatal(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// keys composes the keys of what a step observes, and requires a queue.
func keys(call *Call) error {
	var requirements require.Requirements
	requirements.Get(require.AnswersIn(call.Request), require.Object{Name: "queue", APIVersion: "v1", Kind: "Queue", ObjectName: "q"})
	requirements.Write(call.Request, call.Response)
	for key := range call.Request.GetObserved().GetResources() {
		response.SetStruct(call.Response, names.Resource(key), &structpb.Struct{})
	}
	return nil
}

// run step keys for a caller that waits.
func run(t *testing.T, req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	t.Helper()
	rsp, err := NewFunction("keys", logging.NewNopLogger(), keys).RunFunction(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return rsp
}

// TestRunGone shows that a step does nothing for a caller that has gone.
func TestRunGone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	req := requestFor(graphJSON, planJSON)
	if rsp, err := NewFunction("keys", logging.NewNopLogger(), keys).RunFunction(ctx, req); !errors.Is(err, context.Canceled) {
		t.Errorf("RunFunction(...): want the error of the caller, got %v, %v", rsp, err)
	}
}

// TestRunHeld shows that a step leaves a graph that is held as it is: it does not even read a spec that may be unreadable.
func TestRunHeld(t *testing.T) {
	request := func() *fnv1.RunFunctionRequest {
		return &fnv1.RunFunctionRequest{
			Observed: &fnv1.State{
				Composite: &fnv1.Resource{Resource: resource.MustStructJSON(strings.Replace(graphJSON, `"services"`, `"servicez"`, 1))},
				Resources: map[string]*fnv1.Resource{"service-frontend": {Resource: &structpb.Struct{}}},
			},
			Desired: &fnv1.State{
				Composite: &fnv1.Resource{Ready: fnv1.Ready_READY_FALSE},
				Resources: map[string]*fnv1.Resource{"deployment-frontend": {Resource: &structpb.Struct{}, Ready: fnv1.Ready_READY_FALSE}},
			},
			Context: resource.MustStructJSON(`{"plan.dynamo.nvidia.com":{"version":2,"release":"development","orchestrator":"","services":{},"totalGPUs":0,"held":"unknown field"}}`),
		}
	}
	want := sdk.To(request(), TTL)
	if diff := cmp.Diff(want, run(t, request()), protocmp.Transform()); diff != "" {
		t.Errorf("RunFunction(...): -want, +got:\n%s", diff)
	}
}

// TestRunLost follows a step through the calls of one reconcile of a graph that has lost a reference.
func TestRunLost(t *testing.T) {
	const deployment = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"llama-frontend","annotations":{"crossplane.io/composition-resource-name":"deployment-frontend"},
		"ownerReferences":[{"uid":"u1","controller":true}]}}`
	plan := strings.Replace(planJSON, `"version":2,"release":"development"`, `"version":2,"release":"development","lost":[{"key":"deployment-frontend","apiVersion":"apps/v1","kind":"Deployment","name":"llama-frontend"}]`, 1)
	request := func() *fnv1.RunFunctionRequest {
		return &fnv1.RunFunctionRequest{
			Meta: &fnv1.RequestMeta{Capabilities: []fnv1.Capability{fnv1.Capability_CAPABILITY_CAPABILITIES}},
			Observed: &fnv1.State{
				Composite: &fnv1.Resource{Resource: resource.MustStructJSON(strings.Replace(graphJSON, `"name":"llama"`, `"name":"llama","uid":"u1"`, 1))},
				Resources: map[string]*fnv1.Resource{"service-frontend": {Resource: &structpb.Struct{}}},
			},
			Desired: &fnv1.State{Resources: map[string]*fnv1.Resource{"bucket": {Resource: &structpb.Struct{}}}},
			Context: resource.MustStructJSON(plan),
		}
	}
	lost := &fnv1.ResourceSelector{
		ApiVersion: "apps/v1", Kind: "Deployment", Namespace: new("inference"), Match: &fnv1.ResourceSelector_MatchName{MatchName: "llama-frontend"},
	}
	queue := &fnv1.ResourceSelector{ApiVersion: "v1", Kind: "Queue", Match: &fnv1.ResourceSelector_MatchName{MatchName: "q"}}
	composing := func(keys ...string) *fnv1.State {
		state := &fnv1.State{Resources: map[string]*fnv1.Resource{}}
		for _, key := range keys {
			state.Resources[key] = &fnv1.Resource{Resource: &structpb.Struct{}}
		}
		return state
	}
	asking := func(selectors map[string]*fnv1.ResourceSelector) *fnv1.Requirements {
		return &fnv1.Requirements{Resources: selectors}
	}

	undelivered, found, gone := request(), request(), request()
	found.RequiredResources = map[string]*fnv1.Resources{"lost-deployment-frontend": {Items: []*fnv1.Resource{{Resource: resource.MustStructJSON(deployment)}}}}
	gone.RequiredResources = map[string]*fnv1.Resources{"lost-deployment-frontend": {}}
	cases := map[string]struct {
		reason       string
		req          *fnv1.RunFunctionRequest
		desired      *fnv1.State
		requirements *fnv1.Requirements
	}{
		"Undelivered": {
			reason: "Before the object is delivered the step asks for it, and does nothing.",
			req:    undelivered, desired: composing("bucket"),
			requirements: asking(map[string]*fnv1.ResourceSelector{"lost-deployment-frontend": lost}),
		},
		"Found": {
			reason: "A step observes a lost object that is delivered like any other, and asks for what it requires itself too.",
			req:    found, desired: composing("bucket", "deployment-frontend", "service-frontend"),
			requirements: asking(map[string]*fnv1.ResourceSelector{"lost-deployment-frontend": lost, "queue": queue}),
		},
		"Gone": {
			reason: "An object that has gone since the plan was made is not observed.",
			req:    gone, desired: composing("bucket", "service-frontend"),
			requirements: asking(map[string]*fnv1.ResourceSelector{"lost-deployment-frontend": lost, "queue": queue}),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			want := sdk.To(request(), TTL)
			want.Desired, want.Requirements = tc.desired, tc.requirements
			if diff := cmp.Diff(want, run(t, tc.req), protocmp.Transform()); diff != "" {
				t.Errorf("%s\nRunFunction(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestHurry(t *testing.T) {
	rsp := sdk.To(&fnv1.RunFunctionRequest{}, TTL)
	Hurry(rsp)
	if diff := cmp.Diff(durationpb.New(PendingTTL), rsp.GetMeta().GetTtl(), protocmp.Transform()); diff != "" {
		t.Errorf("Hurry(...): -want, +got:\n%s", diff)
	}
}
