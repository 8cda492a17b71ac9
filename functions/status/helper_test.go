package status

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/step"
)

const (
	desiredSet     = `{"apiVersion":"grove.io/v1alpha1","kind":"PodCliqueSet","metadata":{"name":"llama"}}`
	desiredService = `{"apiVersion":"v1","kind":"Service","metadata":{"name":"llama-frontend"}}`

	// readySet is an observed PodCliqueSet that does its work.
	readySet = `{"apiVersion":"grove.io/v1alpha1","kind":"PodCliqueSet","metadata":{"name":"llama","generation":2},"spec":{"replicas":1},
		"status":{"observedGeneration":2,"replicas":1,"updatedReplicas":1,"availableReplicas":1}}`
	// startingSet has no replica yet.
	startingSet = `{"apiVersion":"grove.io/v1alpha1","kind":"PodCliqueSet","metadata":{"name":"llama","generation":1},"spec":{"replicas":1},
		"status":{"observedGeneration":1}}`
)

// planOf the graph llama on Grove, with these changes, as step plan writes it: JSON.
func planOf(changes ...func(*graphplan.Plan)) string {
	p := &graphplan.Plan{
		Version: graphplan.Version, Release: "development", Orchestrator: graphplan.Grove, Grove: &graphplan.GrovePlan{TerminationDelay: "15m0s"},
		Services: map[string]graphplan.Service{}, TotalGPUs: 16,
	}
	for _, change := range changes {
		change(p)
	}
	encoded, err := json.Marshal(p)
	if err != nil {
		panic(err)
	}
	return string(encoded)
}

// withChild adds to a plan what Grove has made for a service.
func withChild(service string, child graphplan.Child) func(*graphplan.Plan) {
	return func(p *graphplan.Plan) {
		if p.Children == nil {
			p.Children = map[string]graphplan.Child{}
		}
		p.Children[service] = child
	}
}

// clique is the child of service Frontend, of which as many replicas are ready as are wanted.
func clique(replicas int32) graphplan.Child {
	return graphplan.Child{
		Kind: "PodClique", Name: "llama-0-frontend", Generation: 1, ObservedGeneration: new(int64(1)),
		SpecReplicas: replicas, Replicas: replicas, UpdatedReplicas: replicas, ReadyReplicas: replicas, ScheduledReplicas: replicas,
	}
}

// request for the graph llama, of generation 3, with this plan, JSON.
func request(plan string) *fnv1.RunFunctionRequest {
	return &fnv1.RunFunctionRequest{
		Meta: &fnv1.RequestMeta{Tag: "tag"},
		Observed: &fnv1.State{
			Composite: &fnv1.Resource{Resource: resource.MustStructJSON(`{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment",
				"metadata":{"name":"llama","namespace":"inference","generation":3},"spec":{"services":{"Frontend":{}}}}`)},
			Resources: map[string]*fnv1.Resource{},
		},
		Desired: &fnv1.State{Resources: map[string]*fnv1.Resource{}},
		Context: resource.MustStructJSON(`{"plan.dynamo.nvidia.com":` + plan + `}`),
	}
}

// with a desired and, unless it is empty, an observed object.
func with(req *fnv1.RunFunctionRequest, key, desired, observed string) *fnv1.RunFunctionRequest {
	req.Desired.Resources[key] = &fnv1.Resource{Resource: resource.MustStructJSON(desired)}
	if observed != "" {
		req.Observed.Resources[key] = &fnv1.Resource{Resource: resource.MustStructJSON(observed)}
	}
	return req
}

type responseOption func(*fnv1.RunFunctionResponse)

// answer is the response to a request, in the longer time to live.
func answer(req *fnv1.RunFunctionRequest, options ...responseOption) *fnv1.RunFunctionResponse {
	rsp := &fnv1.RunFunctionResponse{
		Meta:    &fnv1.ResponseMeta{Tag: "tag", Ttl: durationpb.New(10 * time.Minute)},
		Context: req.GetContext(),
		Desired: &fnv1.State{Resources: map[string]*fnv1.Resource{}},
	}
	for _, option := range options {
		option(rsp)
	}
	return rsp
}

func soon() responseOption {
	return func(rsp *fnv1.RunFunctionResponse) { rsp.Meta.Ttl = durationpb.New(step.PendingTTL) }
}

// statusIs the status, JSON, of the desired composite resource.
func statusIs(status string) responseOption {
	return func(rsp *fnv1.RunFunctionResponse) {
		rsp.Desired.Composite = &fnv1.Resource{Resource: resource.MustStructJSON(`{"status":` + status + `}`)}
	}
}

func desires(key, object string, ready fnv1.Ready) responseOption {
	return func(rsp *fnv1.RunFunctionResponse) {
		rsp.Desired.Resources[key] = &fnv1.Resource{Resource: resource.MustStructJSON(object), Ready: ready}
	}
}

func conditioned(conditionType string, status fnv1.Status, reason, message string) responseOption {
	return func(rsp *fnv1.RunFunctionResponse) {
		c := &fnv1.Condition{Type: conditionType, Status: status, Reason: reason, Target: fnv1.Target_TARGET_COMPOSITE_AND_CLAIM.Enum()}
		if message != "" {
			c.Message = &message
		}
		rsp.Conditions = append(rsp.Conditions, c)
	}
}

const (
	isTrue    = fnv1.Status_STATUS_CONDITION_TRUE
	isFalse   = fnv1.Status_STATUS_CONDITION_FALSE
	isUnknown = fnv1.Status_STATUS_CONDITION_UNKNOWN
)

func allReady() responseOption {
	return conditioned("ServicesReady", isTrue, "all_resources_are_ready", "All resources are ready")
}

func notReady(message string) responseOption {
	return notReadyFor("some_resources_are_not_ready", "Resources not ready: "+message)
}

func notReadyFor(reason, message string) responseOption {
	return conditioned("ServicesReady", isFalse, reason, message)
}

func run(t *testing.T, req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	t.Helper()
	rsp, err := NewFunction(logging.NewNopLogger()).RunFunction(context.Background(), req)
	if err != nil {
		t.Fatalf("RunFunction(...): want no error, got %v", err)
	}
	return rsp
}
