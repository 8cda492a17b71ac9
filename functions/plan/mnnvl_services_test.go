package plan

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
)

// Modes that a platform can choose.
func autoMode() inputv1alpha1.MNNVL { return inputv1alpha1.MNNVL{Mode: inputv1alpha1.MNNVLAuto} }

func groveMode() inputv1alpha1.MNNVL { return inputv1alpha1.MNNVL{Mode: inputv1alpha1.MNNVLGrove} }

func byReplica() inputv1alpha1.MNNVL {
	return inputv1alpha1.MNNVL{Mode: inputv1alpha1.MNNVLAuto, Scope: inputv1alpha1.MNNVLScopeReplica}
}

func byClique() inputv1alpha1.MNNVL {
	return inputv1alpha1.MNNVL{Mode: inputv1alpha1.MNNVLAuto, RequireClique: true}
}

// A serviceChange of a service.
type serviceChange func(*v1alpha1.Service)

// serviceOf a component type, which runs a command.
func serviceOf(componentType string, command ...string) *v1alpha1.Service {
	return &v1alpha1.Service{
		ComponentType: componentType,
		ExtraPodSpec:  &v1alpha1.ExtraPodSpec{MainContainer: &corev1.Container{Image: "registry.example.org/runtime:1.5.0", Command: command}},
	}
}

// noGPUWorker spans two nodes.
func noGPUWorker(changes ...serviceChange) *v1alpha1.Service {
	return singleNode(append([]serviceChange{onTwoNodes}, changes...)...)
}

// gpuWorker spans two nodes and requests four GPUs of each.
func gpuWorker(changes ...serviceChange) *v1alpha1.Service {
	return noGPUWorker(append([]serviceChange{requesting("4")}, changes...)...)
}

// singleWorker requests four GPUs of one node.
func singleWorker(changes ...serviceChange) *v1alpha1.Service {
	return singleNode(append([]serviceChange{requesting("4")}, changes...)...)
}

// singleNode is a worker of one node without GPUs.
func singleNode(changes ...serviceChange) *v1alpha1.Service {
	worker := serviceOf("worker", "python3", "-m", "dynamo.sglang")
	worker.ExtraPodSpec.MainContainer.Args = []string{"--config", "sizes.yaml"}
	for _, change := range changes {
		change(worker)
	}
	return worker
}

func onTwoNodes(s *v1alpha1.Service) { s.Multinode = &v1alpha1.Multinode{NodeCount: 2} }

func scaledToZero(s *v1alpha1.Service) { s.Replicas = new(int32(0)) }

func sharingGPUs(s *v1alpha1.Service) {
	s.GPUMemoryService = &v1alpha1.GPUMemoryService{Enabled: true}
}

// requesting GPUs in the short form of resources.
func requesting(gpus string) serviceChange {
	return limited(v1alpha1.ResourceList{GPU: new(resource.MustParse(gpus))})
}

// requestingOther requests four GPUs that are not of NVIDIA's resource.
func requestingOther(s *v1alpha1.Service) {
	limited(v1alpha1.ResourceList{GPU: new(resource.MustParse("4")), GPUType: "example.com/gpu"})(s)
}

func limited(limits v1alpha1.ResourceList) serviceChange {
	return func(s *v1alpha1.Service) { s.Resources = &v1alpha1.Resources{Limits: &limits} }
}

// claiming a resource by a template.
func claiming(claim, template string) serviceChange {
	return func(s *v1alpha1.Service) {
		s.ExtraPodSpec.ResourceClaims = []corev1.PodResourceClaim{{Name: claim, ResourceClaimTemplateName: &template}}
	}
}

// annotated with one annotation.
func annotated(key, value string) serviceChange {
	return func(s *v1alpha1.Service) { s.Annotations = map[string]string{key: value} }
}

// annotatedPods have one annotation.
func annotatedPods(key, value string) serviceChange {
	return func(s *v1alpha1.Service) {
		s.ExtraPodMetadata = &v1alpha1.ExtraPodMetadata{Annotations: map[string]string{key: value}}
	}
}

// container of pods that requests GPUs.
func container(name, gpus string) corev1.Container {
	return corev1.Container{Name: name, Image: "i", Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{"nvidia.com/gpu": resource.MustParse(gpus)}}}
}
