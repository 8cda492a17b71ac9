package mnnvl_test

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
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

// noGPUWorker spans two nodes.
func noGPUWorker(changes ...plantest.ComponentChange) *v1alpha1.Service {
	return singleNode(append([]plantest.ComponentChange{plantest.WithNodes(2)}, changes...)...)
}

// gpuWorker spans two nodes and requests four GPUs of each.
func gpuWorker(changes ...plantest.ComponentChange) *v1alpha1.Service {
	return noGPUWorker(append([]plantest.ComponentChange{plantest.WithGPUs("4")}, changes...)...)
}

// singleWorker requests four GPUs of one node.
func singleWorker(changes ...plantest.ComponentChange) *v1alpha1.Service {
	return singleNode(append([]plantest.ComponentChange{plantest.WithGPUs("4")}, changes...)...)
}

// singleNode is a worker of one node without GPUs.
func singleNode(changes ...plantest.ComponentChange) *v1alpha1.Service {
	worker := plantest.ComponentOf("worker", "python3", "-m", "dynamo.sglang")
	worker.ExtraPodSpec.MainContainer.Args = []string{"--config", "sizes.yaml"}
	for _, change := range changes {
		change(worker)
	}
	return worker
}

func scaledToZero(s *v1alpha1.Service) { s.Replicas = new(int32(0)) }

func sharingGPUs(s *v1alpha1.Service) {
	s.GPUMemoryService = &v1alpha1.GPUMemoryService{Enabled: true}
}

// requestingOther requests four GPUs that are not of NVIDIA's resource.
func requestingOther(s *v1alpha1.Service) {
	limited(v1alpha1.ResourceList{GPU: new(resource.MustParse("4")), GPUType: "example.com/gpu"})(s)
}

func limited(limits v1alpha1.ResourceList) plantest.ComponentChange {
	return func(s *v1alpha1.Service) { s.Resources = &v1alpha1.Resources{Limits: &limits} }
}

// claiming a resource by a template.
func claiming(claim, template string) plantest.ComponentChange {
	return func(s *v1alpha1.Service) {
		s.ExtraPodSpec.ResourceClaims = []corev1.PodResourceClaim{{Name: claim, ResourceClaimTemplateName: &template}}
	}
}

// container of pods that requests GPUs.
func container(name, gpus string) corev1.Container {
	return corev1.Container{Name: name, Image: "i", Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{"nvidia.com/gpu": resource.MustParse(gpus)}}}
}
