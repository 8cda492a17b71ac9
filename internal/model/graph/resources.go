package graph

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/sets"

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
	return GPUsOf(c.PodContainer().Resources.Limits, c.ShortForm().Limits)
}

// GPURequest of the main container, of all types of GPUs. 0 means none.
func (c *Component) GPURequest() int64 {
	return GPUsOf(c.PodContainer().Resources.Requests, c.ShortForm().Requests)
}

// ShortForm of the resources of the main container, which only services have. Empty: there is none.
func (c *Component) ShortForm() v1alpha1.Resources {
	if c.Resources == nil {
		return v1alpha1.Resources{}
	}
	return *c.Resources
}

// GPUsOf a list of resources and the short form below it, of which the gpuType may have any name.
func GPUsOf(own corev1.ResourceList, short *v1alpha1.ResourceList) int64 {
	var total int64
	for name, amount := range Underlay(own, short) {
		if IsGPU(name) || name == GPUName(short) {
			total += amount.Value()
		}
	}
	return total
}

// MainResources are those of the main container: of its pod, and of the short form, which have lower priority, by the names of the resources.
func (c *Component) MainResources() corev1.ResourceRequirements {
	own := c.PodContainer().Resources
	if c.Resources == nil {
		return own
	}
	merged := corev1.ResourceRequirements{
		Requests: Underlay(own.Requests, c.Resources.Requests),
		Limits:   Underlay(own.Limits, c.Resources.Limits),
		Claims:   slices.Clone(own.Claims),
	}
	claimed := sets.New(own.Claims...)
	for _, claim := range c.Resources.Claims {
		if !claimed.Has(claim) {
			claimed.Insert(claim)
			merged.Claims = append(merged.Claims, claim)
		}
	}
	return merged
}

// Underlay adds the resources of the short form that a list does not have.
func Underlay(list corev1.ResourceList, short *v1alpha1.ResourceList) corev1.ResourceList {
	if short == nil {
		return list
	}
	merged := corev1.ResourceList{}
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
	maps.Copy(merged, list)
	return merged
}

// GPUsIn the resources of a container: the limit, otherwise the request.
func GPUsIn(r corev1.ResourceRequirements) int64 {
	return cmp.Or(max(0, GPUsOf(r.Limits, nil)), GPUsOf(r.Requests, nil))
}
