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
