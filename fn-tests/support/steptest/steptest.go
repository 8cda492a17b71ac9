// Package steptest holds what the tests of the steps after plan do alike: build a request, run the step, and say what the
// response should be.
package steptest

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"
	corev1 "k8s.io/api/core/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// Graph llama in namespace inference with this spec, JSON.
func Graph(spec string) *fnv1.Resource {
	return &fnv1.Resource{Resource: resource.MustStructJSON(`{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment",
		"metadata":{"name":"llama","namespace":"inference"},"spec":` + spec + `}`)}
}

// Request for a Graph of this spec with this plan in the context, both JSON.
func Request(spec, plan string) *fnv1.RunFunctionRequest {
	return &fnv1.RunFunctionRequest{
		Meta:     &fnv1.RequestMeta{Tag: "tag"},
		Observed: &fnv1.State{Composite: Graph(spec)},
		Context:  resource.MustStructJSON(`{"plan.dynamo.nvidia.com":` + plan + `}`),
	}
}

// Spec of components, JSON.
func Spec(t *testing.T, services map[string]v1alpha1.Service) string {
	t.Helper()
	return JSON(t, v1alpha1.DynamoGraphDeploymentSpec{Services: services})
}

// JSON of a value.
func JSON(t *testing.T, value any) string {
	t.Helper()
	encoded, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}

// Object as functions get it.
func Object(t *testing.T, object any) *fnv1.Resource {
	t.Helper()
	encoded, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return &fnv1.Resource{Resource: resource.MustStructJSON(string(encoded))}
}

// Struct is an object as functions get it. A string is JSON, for objects that their types cannot express.
func Struct(object any) *structpb.Struct {
	if text, ok := object.(string); ok {
		return resource.MustStructJSON(text)
	}
	encoded, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	out := resource.MustStructJSON(string(encoded))
	if isEmpty(tree.At(out, "status")) {
		// An object that nothing has reconciled yet has no status.
		delete(out.GetFields(), "status")
	}
	return out
}

// isEmpty is true for an object that has nothing but empty objects.
func isEmpty(object *structpb.Struct) bool {
	for _, value := range object.GetFields() {
		if _, ok := value.GetKind().(*structpb.Value_StructValue); !ok || !isEmpty(value.GetStructValue()) {
			return false
		}
	}
	return true
}

// State of objects, or of JSON, by their keys.
func State(objects map[string]any) *fnv1.State {
	s := &fnv1.State{Resources: map[string]*fnv1.Resource{}}
	for key, object := range objects {
		s.Resources[key] = &fnv1.Resource{Resource: Struct(object)}
	}
	return s
}

// A ComponentChange of a component.
type ComponentChange func(*v1alpha1.Service)

// Worker is a spec, JSON, of component Worker with these changes.
func Worker(t *testing.T, changes ...ComponentChange) string {
	t.Helper()
	service := v1alpha1.Service{}
	for _, change := range changes {
		change(&service)
	}
	return Spec(t, map[string]v1alpha1.Service{"Worker": service})
}

// TwoNodes is a Worker whose replicas span two nodes, with further changes.
func TwoNodes(t *testing.T, changes ...ComponentChange) string {
	t.Helper()
	return Worker(t, append([]ComponentChange{WithNodes(2)}, changes...)...)
}

// WithNodes makes each replica span nodes.
func WithNodes(nodes int32) ComponentChange {
	return func(s *v1alpha1.Service) { s.Multinode = &v1alpha1.Multinode{NodeCount: nodes} }
}

// WithReplicas sets the number of replicas.
func WithReplicas(replicas int32) ComponentChange {
	return func(s *v1alpha1.Service) { s.Replicas = &replicas }
}

// WithAnnotation of the component.
func WithAnnotation(key, value string) ComponentChange {
	return func(s *v1alpha1.Service) {
		if s.Annotations == nil {
			s.Annotations = map[string]string{}
		}
		s.Annotations[key] = value
	}
}

// WithPod sets what the user writes for the pod.
func WithPod(pod v1alpha1.ExtraPodSpec) ComponentChange {
	return func(s *v1alpha1.Service) { s.ExtraPodSpec = &pod }
}

// WithScheduler names a scheduler for the pods.
func WithScheduler(name string) ComponentChange {
	return WithPod(v1alpha1.ExtraPodSpec{PodSpec: corev1.PodSpec{SchedulerName: name}})
}

// Answer is the response to a request with this desired state, and nothing else. The state is a copy: a response shares its
// own with the request.
func Answer(req *fnv1.RunFunctionRequest, desired *fnv1.State) *fnv1.RunFunctionResponse {
	return &fnv1.RunFunctionResponse{
		Meta:    &fnv1.ResponseMeta{Tag: "tag", Ttl: durationpb.New(10 * time.Minute)},
		Context: req.GetContext(),
		Desired: proto.CloneOf(desired),
	}
}

// Refused is the response to a request that ends the pipeline.
func Refused(req *fnv1.RunFunctionRequest, message string) *fnv1.RunFunctionResponse {
	rsp := Answer(req, req.GetDesired())
	rsp.Results = []*fnv1.Result{{Severity: fnv1.Severity_SEVERITY_FATAL, Message: message, Target: fnv1.Target_TARGET_COMPOSITE.Enum()}}
	return rsp
}

// Run a step, which never returns an error: what is wrong with a graph is a Fatal result.
func Run(t *testing.T, step fnv1.FunctionRunnerServiceServer, req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	t.Helper()
	rsp, err := step.RunFunction(context.Background(), req)
	if err != nil {
		t.Fatalf("RunFunction(...): want no error, got %v", err)
	}
	return rsp
}
