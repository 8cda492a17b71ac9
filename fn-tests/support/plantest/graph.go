package plantest

import (
	"maps"

	"google.golang.org/protobuf/types/known/structpb"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
)

// A GraphChange of a graph, such as a component that it has.
type GraphChange func(*v1alpha1.DynamoGraphDeployment)

// Graph llama in namespace inference, with these changes.
func Graph(changes ...GraphChange) *v1alpha1.DynamoGraphDeployment {
	xr := &v1alpha1.DynamoGraphDeployment{
		TypeMeta:   metav1.TypeMeta{APIVersion: "nvidia.com/v1alpha1", Kind: "DynamoGraphDeployment"},
		ObjectMeta: metav1.ObjectMeta{Name: "llama", Namespace: "inference", UID: "u1"},
		Spec:       v1alpha1.DynamoGraphDeploymentSpec{Services: map[string]v1alpha1.Service{}},
	}
	for _, change := range changes {
		change(xr)
	}
	return xr
}

// A ComponentChange of a component.
type ComponentChange func(*v1alpha1.Service)

// Component of a name, with changes.
func Component(name string, service *v1alpha1.Service, changes ...ComponentChange) GraphChange {
	return func(xr *v1alpha1.DynamoGraphDeployment) {
		xr.Spec.Services[name] = *service
		Changed(name, changes...)(xr)
	}
}

// Changed is a change of a component that the graph has.
func Changed(name string, changes ...ComponentChange) GraphChange {
	return func(xr *v1alpha1.DynamoGraphDeployment) {
		service := xr.Spec.Services[name]
		for _, change := range changes {
			change(&service)
		}
		xr.Spec.Services[name] = service
	}
}

// Renamed has a component of the graph under another name.
func Renamed(from, to string) GraphChange {
	return func(xr *v1alpha1.DynamoGraphDeployment) {
		xr.Spec.Services[to] = xr.Spec.Services[from]
		delete(xr.Spec.Services, from)
	}
}

// ComponentOf a component type, whose image has the release that is assumed and runs a command.
func ComponentOf(componentType string, command ...string) *v1alpha1.Service {
	return &v1alpha1.Service{
		ComponentType: componentType,
		ExtraPodSpec:  &v1alpha1.ExtraPodSpec{MainContainer: &corev1.Container{Image: "registry.example.org/runtime:1.4.0", Command: command}},
	}
}

// Frontend is a component.
func Frontend(xr *v1alpha1.DynamoGraphDeployment) { Component("Frontend", ComponentOf("frontend"))(xr) }

// Worker is a component that runs vLLM on one GPU.
func Worker(xr *v1alpha1.DynamoGraphDeployment) {
	Component("Worker", ComponentOf("worker", "python3", "-m", "dynamo.vllm"), WithArgs("--model", "m"), WithGPUs("1"))(xr)
}

// Multinode is a Worker of two replicas, each of which runs vLLM on the GPUs of two nodes.
func Multinode(xr *v1alpha1.DynamoGraphDeployment) {
	Component("Worker", ComponentOf("worker", "python3", "-m", "dynamo.vllm"), WithArgs("--model", "m", "--tensor-parallel-size", "16"), WithGPUs("8"),
		WithReplicas(2), WithNodes(2))(xr)
}

// WithArgs sets the arguments of the main container.
func WithArgs(args ...string) ComponentChange {
	return func(s *v1alpha1.Service) { s.ExtraPodSpec.MainContainer.Args = args }
}

// WithGPUs requests GPUs in the short form of resources.
func WithGPUs(gpus string) ComponentChange {
	return func(s *v1alpha1.Service) {
		s.Resources = &v1alpha1.Resources{Limits: &v1alpha1.ResourceList{GPU: new(resource.MustParse(gpus))}}
	}
}

// WithReplicas sets the number of replicas.
func WithReplicas(replicas int32) ComponentChange {
	return func(s *v1alpha1.Service) { s.Replicas = &replicas }
}

// WithNodes makes each replica span nodes.
func WithNodes(nodes int32) ComponentChange {
	return func(s *v1alpha1.Service) { s.Multinode = &v1alpha1.Multinode{NodeCount: nodes} }
}

// WithFailover runs two engines in each pod.
func WithFailover(s *v1alpha1.Service) {
	s.GPUMemoryService, s.Failover = &v1alpha1.GPUMemoryService{Enabled: true}, &v1alpha1.Failover{Enabled: true}
}

// WithAnnotation adds an annotation to a component.
func WithAnnotation(key, value string) ComponentChange {
	return func(s *v1alpha1.Service) { s.Annotations = with(s.Annotations, key, value) }
}

// WithPodAnnotation has one annotation on the pods of a component.
func WithPodAnnotation(key, value string) ComponentChange {
	return func(s *v1alpha1.Service) {
		s.ExtraPodMetadata = &v1alpha1.ExtraPodMetadata{Annotations: map[string]string{key: value}}
	}
}

// Annotated adds an annotation to the graph.
func Annotated(key, value string) GraphChange {
	return func(xr *v1alpha1.DynamoGraphDeployment) { xr.Annotations = with(xr.Annotations, key, value) }
}

func with(annotations map[string]string, key, value string) map[string]string {
	all := map[string]string{key: value}
	maps.Copy(all, annotations)
	return all
}

// Status of an earlier reconcile.
func Status(status v1alpha1.DynamoGraphDeploymentStatus) GraphChange {
	return func(xr *v1alpha1.DynamoGraphDeployment) { xr.Status = status }
}

// RunningOn is the status of a graph that runs on an orchestrator.
func RunningOn(orchestrator string, conditions ...metav1.Condition) GraphChange {
	return Status(v1alpha1.DynamoGraphDeploymentStatus{Orchestrator: orchestrator, Conditions: conditions})
}

// WithReferences adds references to composed resources, where a composite resource without a claim has them.
func WithReferences(refs ...corev1.ObjectReference) RequestOption {
	return func(req *fnv1.RunFunctionRequest) {
		spec := specOf(req)
		crossplane := &structpb.Struct{Fields: map[string]*structpb.Value{"resourceRefs": listOf(refs)}}
		spec.Fields["crossplane"] = structpb.NewStructValue(crossplane)
	}
}

// WithLegacyReferences adds references to composed resources, where the composite resource of a claim has them.
func WithLegacyReferences(refs ...corev1.ObjectReference) RequestOption {
	return func(req *fnv1.RunFunctionRequest) { specOf(req).Fields["resourceRefs"] = listOf(refs) }
}

// OfClaim makes the graph the composite resource of a claim.
func OfClaim(req *fnv1.RunFunctionRequest) {
	req.GetObserved().GetComposite().GetResource().Fields["kind"] = structpb.NewStringValue("XDynamoGraphDeployment")
	specOf(req).Fields["claimRef"] = structpb.NewStructValue(Struct(corev1.ObjectReference{Name: "llama", Namespace: "inference"}))
}

func specOf(req *fnv1.RunFunctionRequest) *structpb.Struct {
	return req.GetObserved().GetComposite().GetResource().GetFields()["spec"].GetStructValue()
}

func listOf(refs []corev1.ObjectReference) *structpb.Value {
	list := &structpb.ListValue{}
	for _, ref := range refs {
		list.Values = append(list.Values, structpb.NewStructValue(Struct(ref)))
	}
	return structpb.NewListValue(list)
}

// ReferenceTo an object by its name.
func ReferenceTo(apiVersion, kind, name string) corev1.ObjectReference {
	return corev1.ObjectReference{APIVersion: apiVersion, Kind: kind, Name: name}
}
