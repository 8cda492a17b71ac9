package graph

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
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

// IsGPU reports whether a resource is GPUs or other accelerators, or slices of GPUs, by its name: one of names.Accelerators, example.com/gpu, or
// nvidia.com/mig-1g.10gb. Other resources of an accelerator, such as gpu.intel.com/memory.max, are none.
func IsGPU(name corev1.ResourceName) bool {
	_, device, qualified := strings.Cut(string(name), "/")
	return qualified && (device == DeviceGPU || strings.HasPrefix(device, "mig-")) || slices.Contains(names.Accelerators(), string(name))
}

// DeviceGPU is what follows the domain in the names of most GPUs.
const DeviceGPU = "gpu"

// GPUPath is the path of the limit of GPUs of the main container: the resource that it has, or that of NVIDIA.
func (c *Component) GPUPath() *field.Path {
	name := GPUName(c.ShortForm().Limits)
	for _, limit := range slices.Sorted(maps.Keys(c.Main().Resources.Limits)) {
		if IsGPU(limit) {
			name = limit
		}
	}
	return MainPath(ComponentPath(c.Name), "resources", "limits").Key(string(name))
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

// ShortForm of the resources of the main container, which only services have. Empty if there is none.
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

// Annotations of pods by which KAI gives them a share of one or more GPUs.
// https://github.com/NVIDIA/KAI-Scheduler/blob/main/docs/gpu-sharing/README.md
const (
	AnnotationGPUFraction = "gpu-fraction"
	AnnotationGPUMemory   = "gpu-memory"
	AnnotationGPUDevices  = "gpu-fraction-num-devices"
)

// Shares of GPUs for which the annotations of the pods ask.
func (c *Component) Shares() int64 {
	annotations := map[string]string{}
	for _, key := range []string{AnnotationGPUFraction, AnnotationGPUMemory, AnnotationGPUDevices} {
		annotations[key] = cmp.Or(c.PodMetadata().Annotations[key], c.Annotation(key))
	}
	return SharesOf(annotations)
}

// SharesOf GPUs for which the annotations of a pod ask. Each counts as a GPU.
func SharesOf(annotations map[string]string) int64 {
	if annotations[AnnotationGPUFraction] == "" && annotations[AnnotationGPUMemory] == "" {
		return 0
	}
	devices, err := strconv.ParseInt(annotations[AnnotationGPUDevices], 10, 64)
	if err != nil {
		return 1
	}
	return min(max(1, devices), mostShares)
}

// mostShares of a pod keep sums of them within int64.
const mostShares = 1 << 20
