package input

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// DefaultResources of main containers, in the form of the plan.
func DefaultResources(in *v1alpha1.Input) graphplan.Resources {
	return graphplan.Resources{Requests: listOf(in.DefaultResources.Requests), Limits: listOf(in.DefaultResources.Limits)}
}

// listOf amounts that are not zero. It is nil if there are none.
func listOf(amounts v1alpha1.ResourceAmounts) corev1.ResourceList {
	var list corev1.ResourceList
	for name, amount := range map[corev1.ResourceName]*resource.Quantity{corev1.ResourceCPU: amounts.CPU, corev1.ResourceMemory: amounts.Memory} {
		if amount == nil || amount.IsZero() {
			continue
		}
		if list == nil {
			list = corev1.ResourceList{}
		}
		list[name] = *amount
	}
	return list
}

func validateDefaultResources(path *field.Path, in *v1alpha1.DefaultResources) field.ErrorList {
	requests, limits := path.Child("requests"), path.Child("limits")
	errs := validateAmounts(requests, in.Requests)
	errs = append(errs, validateAmounts(limits, in.Limits)...)
	errs = append(errs, validateWithin(requests.Child("cpu"), in.Requests.CPU, in.Limits.CPU)...)
	return append(errs, validateWithin(requests.Child("memory"), in.Requests.Memory, in.Limits.Memory)...)
}

func validateAmounts(path *field.Path, in v1alpha1.ResourceAmounts) field.ErrorList {
	var errs field.ErrorList
	if in.CPU != nil && in.CPU.Sign() < 0 {
		errs = append(errs, field.Invalid(path.Child("cpu"), in.CPU.String(), negative))
	}
	switch memory := in.Memory; {
	case memory == nil:
	case memory.Sign() < 0:
		errs = append(errs, field.Invalid(path.Child("memory"), memory.String(), negative))
	case memory.CmpInt64(memory.Value()) != 0:
		errs = append(errs, field.Invalid(path.Child("memory"), memory.String(), "must be a whole number of bytes; m means a thousandth, use M or Mi for millions"))
	}
	return errs
}

const negative = "must be at least 0; use 0 if there is no default"

// validateWithin refuses a request above its limit, with which the API server would refuse every pod.
func validateWithin(path *field.Path, request, limit *resource.Quantity) field.ErrorList {
	if request == nil || limit == nil || limit.Sign() <= 0 || request.Cmp(*limit) <= 0 {
		return nil
	}
	return field.ErrorList{field.Invalid(path, request.String(), fmt.Sprintf("must be at most the limit, which is %s; reduce it, or raise the limit", limit))}
}
