package pod

import (
	"cmp"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
)

// DefaultGPU is the resource name of GPUs without a gpuType.
const DefaultGPU = "nvidia.com/gpu"

// GPUName is the resource name of the GPUs in one block of resources.
func GPUName(list *v1alpha1.ResourceList) corev1.ResourceName {
	if list == nil || list.GPUType == "" {
		return DefaultGPU
	}
	return corev1.ResourceName(list.GPUType)
}

// IsGPU reports whether a resource is GPUs, or slices of GPUs, by its name: nvidia.com/gpu, amd.com/gpu, gpu.intel.com/xe, or
// nvidia.com/mig-1g.10gb.
func IsGPU(name corev1.ResourceName) bool {
	domain, resource, qualified := strings.Cut(string(name), "/")
	return qualified && (resource == "gpu" || strings.HasPrefix(domain, "gpu.") || strings.HasPrefix(resource, "mig-"))
}

// GPUs of the main container: the limit, otherwise the request.
func GPUs(service *v1alpha1.Service) int64 {
	return cmp.Or(max(0, GPULimit(service)), GPURequest(service))
}

// GPUsIn the resources of a container: the limit, otherwise the request.
func GPUsIn(r corev1.ResourceRequirements) int64 {
	return cmp.Or(max(0, gpus(r.Limits, nil)), gpus(r.Requests, nil))
}

// GPULimit of the main container, of all types of GPUs. 0 means none.
func GPULimit(service *v1alpha1.Service) int64 {
	return gpus(UserContainer(service).Resources.Limits, shortForm(service).Limits)
}

// GPURequest of the main container, of all types of GPUs. 0 means none.
func GPURequest(service *v1alpha1.Service) int64 {
	return gpus(UserContainer(service).Resources.Requests, shortForm(service).Requests)
}

func shortForm(service *v1alpha1.Service) v1alpha1.Resources {
	if service.Resources == nil {
		return v1alpha1.Resources{}
	}
	return *service.Resources
}

// gpus in the resources of mainContainer, and in the short form, of which the gpuType may have any name.
func gpus(own corev1.ResourceList, short *v1alpha1.ResourceList) int64 {
	var total int64
	for name, amount := range underlay(own, short) {
		if IsGPU(name) || name == GPUName(short) {
			total += amount.Value()
		}
	}
	return total
}
