package validate

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
)

// resources checks the short form.
func (v *validator) resources(path *field.Path, s *graph.Component) {
	if size := s.SharedMemorySize; size != nil && size.Sign() < 0 {
		v.invalid(path.Child("sharedMemorySize"), size.String(), "must be greater than 0")
	}
	if s.Resources == nil {
		return
	}
	fieldPath := path.Child("resources")
	v.quantities(fieldPath.Child("requests"), s.Resources.Requests)
	v.quantities(fieldPath.Child("limits"), s.Resources.Limits)
	requests, limits := s.Resources.Requests, s.Resources.Limits
	if requests == nil || limits == nil {
		return
	}
	v.within(fieldPath, "cpu", requests.CPU, limits.CPU)
	v.within(fieldPath, "memory", requests.Memory, limits.Memory)
	if graph.GPUName(requests) != graph.GPUName(limits) || requests.GPU == nil || limits.GPU == nil || limits.GPU.Sign() < 0 {
		return
	}
	if requests.GPU.Cmp(*limits.GPU) != 0 {
		v.invalid(fieldPath.Child("requests", "gpu"), requests.GPU.String(), "must be equal to {{limits[nvidia.com/gpu]}}, which is %s; devices cannot be overcommitted", limits.GPU)
	}
}

// within refuses a request above its limit. A negative limit is refused itself.
func (v *validator) within(path *field.Path, name string, request, limit *resource.Quantity) {
	if request != nil && limit != nil && limit.Sign() >= 0 && request.Cmp(*limit) > 0 {
		v.invalid(path.Child("requests", name), request.String(), "must be at most limits.%s, which is %s", name, limit)
	}
}

func (v *validator) quantities(path *field.Path, list *v1alpha1.ResourceList) {
	if list == nil {
		return
	}
	for name, amount := range map[string]*resource.Quantity{"cpu": list.CPU, "memory": list.Memory, "gpu": list.GPU} {
		if amount != nil && amount.Sign() < 0 {
			v.invalid(path.Child(name), amount.String(), "must be at least 0")
		}
	}
	if gpu := list.GPU; gpu != nil && gpu.MilliValue()%1000 != 0 {
		v.invalid(path.Child("gpu"), gpu.String(), "must be a whole number; devices cannot be divided")
	}
	if list.GPUType != "" {
		v.malformed(path.Child("gpuType"), list.GPUType, validation.IsQualifiedName(list.GPUType))
	}
	for _, name := range slices.Sorted(maps.Keys(list.Custom)) {
		amount := list.Custom[name]
		v.malformed(path.Child("custom"), name, validation.IsQualifiedName(name))
		if amount.Sign() < 0 {
			v.invalid(path.Child("custom").Key(name), amount.String(), "must be at least 0")
		}
	}
}

// containerResources checks the amounts of one container. Names without a domain are accepted, because real manifests have limits of "gpu".
func (v *validator) containerResources(path *field.Path, r corev1.ResourceRequirements) {
	for part, list := range map[string]corev1.ResourceList{"requests": r.Requests, "limits": r.Limits} {
		for name, amount := range list {
			v.malformed(path.Child(part), string(name), validation.IsQualifiedName(string(name)))
			if amount.Sign() < 0 {
				v.invalid(path.Child(part).Key(string(name)), amount.String(), "must be at least 0")
			}
		}
	}
	for name, request := range r.Requests {
		fieldPath := path.Child("requests").Key(string(name))
		switch limit, ok := r.Limits[name]; {
		case !ok, limit.Sign() < 0:
		case isDevice(name) && request.Cmp(limit) != 0:
			v.invalid(fieldPath, request.String(), "must be equal to the limit, which is %s; devices cannot be overcommitted", limit.String())
		case request.Cmp(limit) > 0:
			v.invalid(fieldPath, request.String(), "must be less than or equal to the limit, which is %s", limit.String())
		}
	}
}

// fractions of a byte are a unit for which M or Mi was meant.
func (w *warnings) fractions(path *field.Path, s *graph.Component) {
	if s.Resources == nil {
		return
	}
	for name, list := range map[string]*v1alpha1.ResourceList{"limits": s.Resources.Limits, "requests": s.Resources.Requests} {
		if list != nil && list.Memory != nil && list.Memory.CmpInt64(list.Memory.Value()) != 0 {
			w.add(path.Child("resources", name, "memory"), "%s is not a whole number of bytes; m means a thousandth, use M or Mi for millions", list.Memory.String())
		}
	}
}
