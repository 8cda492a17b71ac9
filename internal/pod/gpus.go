package pod

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcehelper "k8s.io/component-helpers/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
)

// HasGPUs reports whether any container of a pod requests one of these resources.
func HasGPUs(spec *corev1.PodSpec, gpus []string) bool {
	return slices.ContainsFunc(slices.Concat(spec.InitContainers, spec.Containers), func(c corev1.Container) bool {
		return ContainerGPUs(&c, gpus) > 0
	})
}

// ContainerGPUs is how many of these resources a container requests: its limits, otherwise its requests.
func ContainerGPUs(c *corev1.Container, gpus []string) int64 {
	var total int64
	for _, name := range gpus {
		limit, request := c.Resources.Limits[corev1.ResourceName(name)], c.Resources.Requests[corev1.ResourceName(name)]
		total += max(limit.Value(), request.Value(), 0)
	}
	return total
}

// CountGPUs is how many of these resources a pod requests, as the scheduler counts them: its containers and sidecars together, or an init
// container that requests more beside the sidecars that run already.
func CountGPUs(spec *corev1.PodSpec, gpus []string) int64 {
	return count(spec, func(name corev1.ResourceName) bool { return slices.Contains(gpus, string(name)) })
}

// mostGPUs of a pod or a graph keep products and sums of them within int64. There are far fewer.
const mostGPUs = 1 << 20

// count the resources of some names that a pod requests.
func count(spec *corev1.PodSpec, counts func(corev1.ResourceName) bool) int64 {
	pod := &corev1.Pod{Spec: corev1.PodSpec{
		Containers: onlyResources(spec.Containers, counts), InitContainers: onlyResources(spec.InitContainers, counts),
	}}
	var total int64
	for _, amount := range resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{}) {
		total += min(amount.Value(), mostGPUs)
	}
	return min(total, mostGPUs)
}

// onlyResources of some names in containers. A limit without a request is the request.
func onlyResources(containers []corev1.Container, counts func(corev1.ResourceName) bool) []corev1.Container {
	var all []corev1.Container
	for i := range containers {
		requests := corev1.ResourceList{}
		for _, list := range []corev1.ResourceList{containers[i].Resources.Requests, containers[i].Resources.Limits} {
			for name, amount := range list {
				if have := requests[name]; counts(name) && amount.Cmp(have) > 0 {
					requests[name] = amount
				}
			}
		}
		all = append(all, corev1.Container{RestartPolicy: containers[i].RestartPolicy, Resources: corev1.ResourceRequirements{Requests: requests}})
	}
	return all
}

// takesGPUs reports whether a resource is GPUs, slices of GPUs, or GPUs that pods share: nvidia.com/gpu.shared of a device plugin that hands
// out each several times, or volcano.sh/vgpu-number. A share counts as a GPU, because the graph does not say what part of it a pod gets. So
// does a device of a class, for which Kubernetes makes a claim: its name does not say what it is.
// https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/#extended-resource
// https://github.com/NVIDIA/k8s-device-plugin#shared-access-to-gpus
// https://github.com/Project-HAMi/volcano-vgpu-device-plugin
func takesGPUs(name corev1.ResourceName) bool {
	_, resource, qualified := strings.Cut(string(name), "/")
	if graph.IsGPU(name) || strings.HasPrefix(string(name), resourcev1.ResourceDeviceClassPrefix) {
		return true
	}
	return qualified && (strings.HasPrefix(resource, "gpu.") || resource == "gpu-number" || resource == "vgpu-number")
}

// TakenGPUs are all GPUs that a pod of a component takes: those of the main container, of sidecars and of init containers, and those of which KAI
// gives it a share.
func TakenGPUs(component *graph.Component) int64 {
	spec := corev1.PodSpec{
		Containers:     append([]corev1.Container{mainGPUs(component)}, component.Beside()...),
		InitContainers: component.Pod().InitContainers,
	}
	return count(&spec, takesGPUsOf(component)) + component.Shares()
}

// TakenBy a pod of a component that runs are all GPUs that it takes.
func TakenBy(component *graph.Component, template *corev1.PodTemplateSpec) int64 {
	return count(&template.Spec, takesGPUsOf(component)) + graph.SharesOf(template.Annotations)
}

// takesGPUsOf a component reports whether a resource is GPUs in any container of its pods: also the one that the component calls so.
func takesGPUsOf(component *graph.Component) func(name corev1.ResourceName) bool {
	named := component.GPUNames()
	return func(name corev1.ResourceName) bool { return takesGPUs(name) || slices.Contains(named, string(name)) }
}

// mainGPUs is a container with the GPUs of the main container, whose gpuType may have any name.
func mainGPUs(component *graph.Component) corev1.Container {
	resources, short := component.Main().Resources, component.ShortForm()
	requests := corev1.ResourceList{}
	for _, block := range []struct {
		list corev1.ResourceList
		gpu  corev1.ResourceName
	}{{resources.Requests, graph.GPUName(short.Requests)}, {resources.Limits, graph.GPUName(short.Limits)}} {
		for name, amount := range block.list {
			if name != block.gpu && !takesGPUs(name) {
				continue
			}
			if !takesGPUs(name) {
				name = graph.DefaultGPU
			}
			if have := requests[name]; amount.Cmp(have) > 0 {
				requests[name] = amount
			}
		}
	}
	return corev1.Container{Resources: corev1.ResourceRequirements{Requests: requests}}
}
