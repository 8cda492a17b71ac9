package status

import (
	"fmt"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
)

// fields of an object that has no type, or whose type cannot express them.
type fields = map[string]any

// named is an object of which only the name matters.
func named(apiVersion, kind, name string) *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: apiVersion, Kind: kind}, ObjectMeta: metav1.ObjectMeta{Name: name}}
}

func desiredSet() *metav1.PartialObjectMetadata {
	return named(grovev1alpha1.APIVersion, grovev1alpha1.KindPodCliqueSet, "llama")
}

func desiredComponent() *metav1.PartialObjectMetadata {
	return named("v1", "Service", "llama-frontend")
}

// observedSet is a PodCliqueSet with one replica, as it is observed.
func observedSet(generation int64, status grovev1alpha1.PodCliqueSetStatus) *grovev1alpha1.PodCliqueSet {
	status.ObservedGeneration = new(generation)
	return &grovev1alpha1.PodCliqueSet{
		TypeMeta:   metav1.TypeMeta{APIVersion: grovev1alpha1.APIVersion, Kind: grovev1alpha1.KindPodCliqueSet},
		ObjectMeta: metav1.ObjectMeta{Name: "llama", Generation: generation},
		Spec:       grovev1alpha1.PodCliqueSetSpec{Replicas: 1},
		Status:     status,
	}
}

// readySet is an observed PodCliqueSet whose replica is available.
func readySet() *grovev1alpha1.PodCliqueSet {
	return observedSet(2, grovev1alpha1.PodCliqueSetStatus{Replicas: 1, UpdatedReplicas: 1, AvailableReplicas: 1})
}

// startingSet is an observed PodCliqueSet without its replica.
func startingSet() *grovev1alpha1.PodCliqueSet {
	return observedSet(1, grovev1alpha1.PodCliqueSetStatus{})
}

// planOf the graph llama on Grove, with these changes, as step plan writes it.
func planOf(changes ...func(*graphplan.Plan)) *graphplan.Plan {
	p := &graphplan.Plan{
		Version: graphplan.Version, Release: "development", Orchestrator: graphplan.Grove, Grove: &graphplan.GrovePlan{TerminationDelay: "15m0s"},
		Components: map[string]graphplan.Component{}, TotalGPUs: 16,
	}
	for _, change := range changes {
		change(p)
	}
	return p
}

// withChild adds the child of Grove for a component to a plan.
func withChild(component string, child graphplan.Child) func(*graphplan.Plan) {
	return func(p *graphplan.Plan) {
		if p.Children == nil {
			p.Children = map[string]graphplan.Child{}
		}
		p.Children[component] = child
	}
}

// clique is the child of component Frontend. All desired replicas are ready.
func clique(replicas int32) graphplan.Child {
	return graphplan.Child{
		Kind: "PodClique", Name: "llama-0-frontend", Generation: 1, ObservedGeneration: new(int64(1)),
		SpecReplicas: replicas, Replicas: replicas, UpdatedReplicas: replicas, ReadyReplicas: replicas, ScheduledReplicas: replicas,
	}
}

// graphOf is the observed graph llama, with generation 3 and without a status.
func graphOf(spec v1alpha1.DynamoGraphDeploymentSpec) *fnv1.Resource {
	return &fnv1.Resource{Resource: steptest.Struct(&v1alpha1.DynamoGraphDeployment{
		TypeMeta:   metav1.TypeMeta{APIVersion: "nvidia.com/v1alpha1", Kind: "DynamoGraphDeployment"},
		ObjectMeta: metav1.ObjectMeta{Name: "llama", Namespace: "inference", Generation: 3},
		Spec:       spec,
	})}
}

// request for a graph of component Frontend with this plan.
func request(plan *graphplan.Plan) *fnv1.RunFunctionRequest {
	return requestFor(v1alpha1.DynamoGraphDeploymentSpec{Services: map[string]v1alpha1.Service{"Frontend": {}}}, plan)
}

// requestFor a graph with this plan.
func requestFor(spec v1alpha1.DynamoGraphDeploymentSpec, plan *graphplan.Plan) *fnv1.RunFunctionRequest {
	return &fnv1.RunFunctionRequest{
		Meta:     &fnv1.RequestMeta{Tag: "tag"},
		Observed: &fnv1.State{Composite: graphOf(spec), Resources: map[string]*fnv1.Resource{}},
		Desired:  &fnv1.State{Resources: map[string]*fnv1.Resource{}},
		Context:  steptest.Struct(fields{graphplan.ContextKey: plan}),
	}
}

// before adds the observed status of the graph to a request.
func before(req *fnv1.RunFunctionRequest, status v1alpha1.DynamoGraphDeploymentStatus) {
	req.Observed.Composite.Resource.Fields["status"] = structpb.NewStructValue(steptest.Struct(status))
}

// with adds a desired object and, unless it is nil, the observed one to a request.
func with(req *fnv1.RunFunctionRequest, key string, desired, observed any) *fnv1.RunFunctionRequest {
	req.Desired.Resources[key] = &fnv1.Resource{Resource: steptest.Struct(desired)}
	if observed != nil {
		req.Observed.Resources[key] = &fnv1.Resource{Resource: steptest.Struct(observed)}
	}
	return req
}

type responseOption func(*fnv1.RunFunctionResponse)

// answer is the response to a request, with the longer time to live.
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

// statusIs the status of the desired composite resource.
func statusIs(status v1alpha1.DynamoGraphDeploymentStatus) responseOption {
	return func(rsp *fnv1.RunFunctionResponse) {
		rsp.Desired.Composite = &fnv1.Resource{Resource: steptest.Struct(fields{"status": status})}
	}
}

// statusWith is the status with this state and these components, of which all or none are ready, and with the fields that follow from the plan.
func statusWith(state v1alpha1.State, orchestrator graphplan.Orchestrator, services map[string]v1alpha1.ServiceStatus) v1alpha1.DynamoGraphDeploymentStatus {
	ready := 0
	if state == v1alpha1.StateSuccessful {
		ready = len(services)
	}
	return v1alpha1.DynamoGraphDeploymentStatus{
		State: state, ObservedGeneration: 3, Orchestrator: string(orchestrator), MNNVL: &v1alpha1.MNNVLStatus{Mode: "Disabled"}, TotalGPUs: 16, Services: services,
		ReadyComponents: fmt.Sprintf("%d/%d", ready, len(services)),
	}
}

// unknownClique is the status of component Frontend on Grove if its child is not known.
func unknownClique() map[string]v1alpha1.ServiceStatus {
	return map[string]v1alpha1.ServiceStatus{"Frontend": {
		ComponentKind: v1alpha1.ComponentKindPodClique, ComponentName: "llama-0-frontend", ComponentNames: []string{"llama-0-frontend"},
	}}
}

func pending() v1alpha1.DynamoGraphDeploymentStatus {
	return statusWith("pending", graphplan.Grove, unknownClique())
}

func successful() v1alpha1.DynamoGraphDeploymentStatus {
	return statusWith("successful", graphplan.Grove, unknownClique())
}

func desires(key string, object any, ready fnv1.Ready) responseOption {
	return func(rsp *fnv1.RunFunctionResponse) {
		rsp.Desired.Resources[key] = &fnv1.Resource{Resource: steptest.Struct(object), Ready: ready}
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
	return steptest.Run(t, NewFunction(logging.NewNopLogger()), req)
}
