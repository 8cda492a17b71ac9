package pod

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
)

// Names of the parts of the GPU memory service in a pod.
const (
	// GPUMemoryContainer is the server: an init container that keeps running, so that it starts before the engine.
	GPUMemoryContainer = "gms-server"
	// GPUMemoryVolume contains the sockets of the server.
	GPUMemoryVolume = "gms-intrapod-control"
	// SharedGPUClaim is the claim through which the server and its clients get the same GPUs.
	SharedGPUClaim = "intrapod-shared-gpu"

	gpuMemoryFolder    = "/gms-intrapod-control"
	gpuMemoryFolderEnv = "GMS_SOCKET_DIR"
	// defaultDeviceClass is that of the GPU driver. It is the default of the API server. Offline, nothing sets it.
	defaultDeviceClass = "gpu.nvidia.com"
)

// GPUClaim is the claim for the GPUs of one pod of a component.
func GPUClaim(s *graph.Component) resourcev1.ResourceClaimTemplateSpec {
	return resourcev1.ResourceClaimTemplateSpec{Spec: resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{
		Requests: []resourcev1.DeviceRequest{{
			Name: "gpus",
			Exactly: &resourcev1.ExactDeviceRequest{
				DeviceClassName: cmp.Or(s.GPUMemoryService().DeviceClassName, defaultDeviceClass),
				AllocationMode:  resourcev1.DeviceAllocationModeExactCount,
				Count:           s.GPUs(),
			},
		}},
	}}}
}

// shareGPUs runs the GPU memory service in a pod: its server, the main container and the other clients get the GPUs of the pod through one
// claim, instead of their own GPUs.
func (b *Builder) shareGPUs(spec *corev1.PodSpec, c component) {
	if !c.spec.SharesGPUs() {
		return
	}
	main := &spec.Containers[0]
	server := corev1.Container{
		Name:          GPUMemoryContainer,
		Image:         main.Image,
		Command:       []string{"python3", "-m", "gpu_memory_service.cli.server"},
		RestartPolicy: ptr.To(corev1.ContainerRestartPolicyAlways),
	}
	if c.decision.RuntimeVersion.Has(runtime.GPUMemoryReadyFile) {
		server.StartupProbe = timing{period: 1, failures: 300}.probe(corev1.ProbeHandler{
			Exec: &corev1.ExecAction{Command: []string{"test", "-f", gpuMemoryFolder + "/gms-ready"}},
		})
	}
	server.ImagePullPolicy = main.ImagePullPolicy
	useGPUMemory(&server, c.spec)
	clients := sets.New(c.spec.GPUMemoryService().ExtraClientContainers...)
	for i := range spec.Containers {
		if client := &spec.Containers[i]; i == 0 || clients.Has(client.Name) {
			useGPUMemory(client, c.spec)
		}
	}
	spec.InitContainers = append(spec.InitContainers, server)
	spec.Volumes = append(spec.Volumes, corev1.Volume{
		Name: GPUMemoryVolume, VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}},
	})
	spec.ResourceClaims = append(spec.ResourceClaims, corev1.PodResourceClaim{
		Name: SharedGPUClaim, ResourceClaimTemplateName: new(b.Graph.Names().ClaimTemplate(c.name)),
	})
	tolerateGPUs(spec)
}

// useGPUMemory allows a container to use the component. A directory that the user specifies is kept.
func useGPUMemory(container *corev1.Container, s *graph.Component) {
	dropGPUs(container, s)
	container.Resources.Claims = append(container.Resources.Claims, corev1.ResourceClaim{Name: SharedGPUClaim})
	container.VolumeMounts = append(container.VolumeMounts, corev1.VolumeMount{Name: GPUMemoryVolume, MountPath: gpuMemoryFolder})
	if !hasEnv(container.Env, gpuMemoryFolderEnv) {
		container.Env = append(container.Env, corev1.EnvVar{Name: gpuMemoryFolderEnv, Value: gpuMemoryFolder})
	}
}

// dropGPUs of a container, which gets them through a claim.
func dropGPUs(container *corev1.Container, s *graph.Component) {
	for _, gpu := range s.GPUNames() {
		delete(container.Resources.Requests, corev1.ResourceName(gpu))
		delete(container.Resources.Limits, corev1.ResourceName(gpu))
	}
}
