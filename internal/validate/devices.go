package validate

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
)

// An amount of a resource, with its path.
type amount struct {
	resource.Quantity

	path *field.Path
}

type amounts map[corev1.ResourceName]amount

// devices checks resources that Kubernetes counts as integers and never overcommits, such as GPUs and RDMA devices.
func (v *validator) devices(path *field.Path, s *graph.Component) {
	containers := containersOf(path, s)
	if !slices.ContainsFunc(containers, func(c placed) bool { return c.main }) {
		containers = append(containers, placed{Container: &corev1.Container{}, main: true})
	}
	for _, c := range containers {
		requests, limits := amounts{}, amounts{}
		if c.main && s.Resources != nil {
			v.short(requests, s.Resources.Requests, path.Child("resources", "requests"))
			v.short(limits, s.Resources.Limits, path.Child("resources", "limits"))
		}
		if c.path != nil {
			requests.set(c.Resources.Requests, c.path.Child("resources", "requests"))
			limits.set(c.Resources.Limits, c.path.Child("resources", "limits"))
		}
		v.notOvercommitted(requests, limits)
		v.countableGPUs(s.GPUNames(), requests, limits)
		for _, list := range []amounts{requests, limits} {
			for _, name := range slices.Sorted(maps.Keys(list)) {
				// gpu in the short form is checked whatever the name of its resource is.
				if a := list[name]; isDevice(name) && !strings.HasSuffix(a.path.String(), ".gpu") && a.Sign() >= 0 && a.MilliValue()%1000 != 0 {
					v.invalid(a.path, a.String(), "must be a whole number; devices cannot be divided")
				}
			}
		}
	}
}

// countableGPUs refuses more GPUs in a pod than can exist, because those of all replicas and nodes are added.
func (v *validator) countableGPUs(gpus []string, lists ...amounts) {
	for _, list := range lists {
		for _, name := range gpus {
			if a, ok := list[corev1.ResourceName(name)]; ok && a.CmpInt64(maxGPUs) > 0 {
				v.invalid(a.path, a.String(), "must be at most %d", maxGPUs)
			}
		}
	}
}

func (a amounts) set(list corev1.ResourceList, path *field.Path) {
	for name, quantity := range list {
		a[name] = amount{quantity, path.Key(string(name))}
	}
}

// short adds the amounts of the short form, which those of the main container override.
func (v *validator) short(all amounts, list *v1alpha1.ResourceList, path *field.Path) {
	if list == nil {
		return
	}
	gpu := graph.GPUName(list)
	written := map[corev1.ResourceName]string{}
	for name, quantity := range map[string]*resource.Quantity{"cpu": list.CPU, "memory": list.Memory, "gpu": list.GPU} {
		if quantity == nil {
			continue
		}
		resourceName := corev1.ResourceName(name)
		if name == "gpu" {
			resourceName = gpu
		}
		written[resourceName] = name
		all[resourceName] = amount{*quantity, path.Child(name)}
	}
	for _, name := range slices.Sorted(maps.Keys(list.Custom)) {
		fieldPath := path.Child("custom").Key(name)
		if first, taken := written[corev1.ResourceName(name)]; taken {
			quantity := list.Custom[name]
			v.invalid(fieldPath, quantity.String(), "is also set as %s; remove one of the two", first)
			continue
		}
		if isBare(name) {
			v.invalid(fieldPath, name, "must be the full name of a resource, such as rdma/ib")
		}
		all[corev1.ResourceName(name)] = amount{list.Custom[name], fieldPath}
	}
}

// notOvercommitted checks requests against limits, with the code of resources where these are no devices. A negative limit is refused itself.
func (v *validator) notOvercommitted(requests, limits amounts) {
	defer v.underRule(v.rule)
	for _, name := range slices.Sorted(maps.Keys(requests)) {
		request := requests[name]
		limit, limited := limits[name]
		var where any = "the limit"
		if limited && strings.Replace(request.path.String(), ".requests", ".limits", 1) != limit.path.String() {
			where = limit.path
		}
		v.underRule(rule.Resources)
		whole := ""
		switch {
		case isDevice(name):
			v.underRule(rule.Devices)
			whole = "devices"
		case isHugePages(string(name)) && !v.options.Live:
			whole = "huge pages"
		}
		switch {
		case whole != "" && !limited:
			v.invalid(request.path, request.String(), "requires an equal limit of %s; %s cannot be overcommitted", name, whole)
		case !limited || limit.Sign() < 0:
		case whole != "" && request.Cmp(limit.Quantity) != 0:
			v.invalid(request.path, request.String(), "must be equal to %s, which is %s; %s cannot be overcommitted", where, limit.String(), whole)
		case request.Cmp(limit.Quantity) > 0:
			v.invalid(request.path, request.String(), "must be at most %s, which is %s", where, limit.String())
		}
	}
}

// isDevice reports whether a resource is an extended resource.
// https://github.com/kubernetes/kubernetes/blob/v1.36.3/pkg/apis/core/helper/helpers.go#L183
func isDevice(name corev1.ResourceName) bool {
	return strings.Contains(string(name), "/") && !strings.Contains(string(name), corev1.ResourceDefaultNamespacePrefix)
}

// isBare reports whether a name could be that of a resource, but lacks the domain that all but Kubernetes' own resources have.
func isBare(name string) bool {
	return !strings.Contains(name, "/") && !isStandard(name) && len(validation.IsQualifiedName(name)) == 0
}

// resourceClaims checks the claims of dynamic resource allocation.
func (v *validator) resourceClaims(path *field.Path, s *graph.Component) {
	known := map[string]bool{}
	for i, claim := range s.Pod().ResourceClaims {
		fieldPath := graph.PodPath(path, "resourceClaims").Index(i)
		switch {
		case len(validation.IsDNS1123Label(claim.Name)) > 0:
			v.invalid(fieldPath.Child("name"), claim.Name, "must be a DNS label: lower-case letters, digits and dashes, at most 63 characters")
		case known[claim.Name]:
			v.duplicate(fieldPath.Child("name"), claim.Name)
		}
		known[claim.Name] = true
		if n := count(claim.ResourceClaimName != nil, claim.ResourceClaimTemplateName != nil); n != 1 {
			v.forbidden(fieldPath, "must have exactly one of resourceClaimName and resourceClaimTemplateName, but has %d", n)
		}
	}
	if s.Resources != nil {
		v.usedClaims(path.Child("resources", "claims"), s.Resources.Claims, known)
	}
	for _, c := range containersOf(path, s) {
		v.usedClaims(c.path.Child("resources", "claims"), c.Resources.Claims, known)
	}
}

func (v *validator) usedClaims(path *field.Path, claims []corev1.ResourceClaim, known map[string]bool) {
	for i, claim := range claims {
		if !known[claim.Name] {
			v.invalid(path.Index(i).Child("name"), claim.Name, "is not a claim of the pod; define it in {{podTemplate.spec.resourceClaims}}")
		}
	}
}
