package pod

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

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

// GPUs of the main container: the limit, otherwise the request, of the short form; otherwise nvidia.com/gpu in mainContainer.resources.
func GPUs(service *v1alpha1.Service) int64 {
	limit, request := GPULimit(service), GPURequest(service)
	if limit > 0 {
		return limit
	}
	return request
}

// GPULimit of the main container. 0 means none.
func GPULimit(service *v1alpha1.Service) int64 {
	return gpus(service, func(r *v1alpha1.Resources) *v1alpha1.ResourceList { return r.Limits },
		func(r corev1.ResourceRequirements) corev1.ResourceList { return r.Limits })
}

// GPURequest of the main container. 0 means none.
func GPURequest(service *v1alpha1.Service) int64 {
	return gpus(service, func(r *v1alpha1.Resources) *v1alpha1.ResourceList { return r.Requests },
		func(r corev1.ResourceRequirements) corev1.ResourceList { return r.Requests })
}

func gpus(service *v1alpha1.Service, short func(*v1alpha1.Resources) *v1alpha1.ResourceList, full func(corev1.ResourceRequirements) corev1.ResourceList) int64 {
	if service.Resources != nil {
		if list := short(service.Resources); list != nil && list.GPU != nil {
			return list.GPU.Value()
		}
	}
	if service.ExtraPodSpec == nil || service.ExtraPodSpec.MainContainer == nil {
		return 0
	}
	amount := full(service.ExtraPodSpec.MainContainer.Resources)[DefaultGPU]
	return amount.Value()
}

// applyResources writes the short form over the container's resources, resource by resource.
func applyResources(container *corev1.Container, r *v1alpha1.Resources) {
	if r == nil {
		return
	}
	container.Resources.Requests = overlay(container.Resources.Requests, r.Requests)
	container.Resources.Limits = overlay(container.Resources.Limits, r.Limits)
	container.Resources.Claims = append(container.Resources.Claims, r.Claims...)
}

func overlay(list corev1.ResourceList, short *v1alpha1.ResourceList) corev1.ResourceList {
	if short == nil {
		return list
	}
	merged := corev1.ResourceList{}
	maps.Copy(merged, list)
	for name, amount := range map[corev1.ResourceName]*resource.Quantity{
		corev1.ResourceCPU:    short.CPU,
		corev1.ResourceMemory: short.Memory,
		GPUName(short):        short.GPU,
	} {
		if amount != nil {
			merged[name] = *amount
		}
	}
	for name, amount := range short.Custom {
		merged[corev1.ResourceName(name)] = amount
	}
	return merged
}
