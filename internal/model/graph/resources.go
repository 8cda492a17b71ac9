package graph

import (
	"cmp"
	"slices"
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
	domain, device, qualified := strings.Cut(string(name), "/")
	return qualified && (device == "gpu" || strings.HasPrefix(domain, "gpu.") || strings.HasPrefix(device, "mig-"))
}

// GPUNames are the resource names that count as GPUs in the pods of the component, sorted: the default one, and its gpuType.
func (c *Component) GPUNames() []string {
	all := []string{DefaultGPU}
	if c.Resources != nil {
		all = append(all, string(GPUName(c.Resources.Limits)), string(GPUName(c.Resources.Requests)))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// GPUs of the main container: the limit, otherwise the request.
func (c *Component) GPUs() int64 { return cmp.Or(max(0, c.GPULimit()), c.GPURequest()) }

// GPULimit of the main container, of all types of GPUs. 0 means none.
func (c *Component) GPULimit() int64 {
	return GPUsOf(c.Main().Resources.Limits, GPUName(c.ShortForm().Limits))
}

// GPURequest of the main container, of all types of GPUs. 0 means none.
func (c *Component) GPURequest() int64 {
	return GPUsOf(c.Main().Resources.Requests, GPUName(c.ShortForm().Requests))
}

// ShortForm of the resources of the main container, which only services have. Empty means that there is none.
func (c *Component) ShortForm() v1alpha1.Resources {
	if c.Resources == nil {
		return v1alpha1.Resources{}
	}
	return *c.Resources
}

// GPUsOf a list of resources, of which one with any name is GPUs too.
func GPUsOf(list corev1.ResourceList, named corev1.ResourceName) int64 {
	var total int64
	for name, amount := range list {
		if IsGPU(name) || name == named {
			total += amount.Value()
		}
	}
	return total
}

// GPUsIn the resources of a container: the limit, otherwise the request.
func GPUsIn(r corev1.ResourceRequirements) int64 {
	return cmp.Or(max(0, GPUsOf(r.Limits, DefaultGPU)), GPUsOf(r.Requests, DefaultGPU))
}
