package pod

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
)

// GPUNames are the resource names that count as GPUs in the pods of a service, sorted: the default one, and the gpuType of the service.
func GPUNames(service *v1alpha1.Service) []string {
	all := []string{DefaultGPU}
	if service.Resources != nil {
		all = append(all, string(GPUName(service.Resources.Limits)), string(GPUName(service.Resources.Requests)))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

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

// CountGPUs is how many of these resources a pod requests: its containers together, or an init container that runs before them and requests
// more.
func CountGPUs(spec *corev1.PodSpec, gpus []string) int64 {
	var total, largest int64
	for i := range spec.Containers {
		total += ContainerGPUs(&spec.Containers[i], gpus)
	}
	for i := range spec.InitContainers {
		c := &spec.InitContainers[i]
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			total += ContainerGPUs(c, gpus)
			continue
		}
		largest = max(largest, ContainerGPUs(c, gpus))
	}
	return max(total, largest)
}
