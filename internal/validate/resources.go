package validate

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	resourcehelper "k8s.io/component-helpers/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
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
		v.requestable(path.Child("gpuType"), path.Child("gpuType"), list.GPUType)
	}
	for _, name := range slices.Sorted(maps.Keys(list.Custom)) {
		if !isBare(name) {
			v.requestable(path.Child("custom"), path.Child("custom").Key(name), name)
		}
		v.resourceAmount(path.Child("custom").Key(name), name, list.Custom[name])
	}
}

// containerResources checks what one container requests. Orchestrators accept all of it, and the API server then refuses every pod. Published graphs
// have limits of gpu. The Dynamo operator runs what is left of them, so names without a domain are only warned of.
// https://github.com/kubernetes/kubernetes/blob/v1.36.3/pkg/apis/core/validation/validation.go#L7930
func (v *validator) containerResources(path *field.Path, r corev1.ResourceRequirements) {
	for part, list := range map[string]corev1.ResourceList{"requests": r.Requests, "limits": r.Limits} {
		for name, amount := range list {
			where := path.Child(part).Key(string(name))
			if v.withDomains || !isBare(string(name)) {
				v.requestable(path.Child(part), where, string(name))
			}
			v.resourceAmount(where, string(name), amount)
		}
	}
}

// requestable refuses what containers cannot request: names without a domain that are not Kubernetes' own, and names that have no place in
// quotas. list is the field of a name that is malformed.
// https://github.com/kubernetes/kubernetes/blob/v1.36.3/pkg/apis/core/validation/validation.go#L7548
func (v *validator) requestable(list, path *field.Path, name string) {
	malformed := validation.IsQualifiedName(name)
	switch quota := corev1.DefaultResourceRequestsPrefix + name; {
	case len(malformed) > 0:
		v.malformed(list, name, malformed)
	case v.options.Live || isStandard(name) || strings.Contains(name, corev1.ResourceDefaultNamespacePrefix):
	case name == graph.DeviceGPU:
		v.invalid(path, name, "must be the full name of a resource, such as %s", graph.DefaultGPU)
	case !strings.Contains(name, "/") && strict.Near(name, standard()) != "":
		v.invalid(path, name, "is not a resource of containers; did you mean %q?", strict.Near(name, standard()))
	case !strings.Contains(name, "/"):
		v.invalid(path, name, "must be the full name of a resource, such as rdma/ib")
	case strings.HasPrefix(name, corev1.DefaultResourceRequestsPrefix):
		v.invalid(path, name, "is the name of a quota; use %s", strings.TrimPrefix(name, corev1.DefaultResourceRequestsPrefix))
	case len(validation.IsQualifiedName(quota)) > 0:
		v.invalid(path, name, "must have a domain of at most 244 characters, because quotas prefix it")
	}
}

func standard() []string { return []string{"cpu", "memory", "ephemeral-storage"} }

func isStandard(name string) bool { return slices.Contains(standard(), name) || isHugePages(name) }

func isHugePages(name string) bool { return strings.HasPrefix(name, corev1.ResourceHugePagesPrefix) }

// resourceAmount refuses less than nothing, and parts of pages.
func (v *validator) resourceAmount(path *field.Path, name string, amount resource.Quantity) {
	size, hugePages := strings.CutPrefix(name, corev1.ResourceHugePagesPrefix)
	page, err := resource.ParseQuantity(size)
	switch {
	case amount.Sign() < 0:
		v.invalid(path, amount.String(), "must be at least 0")
	case v.options.Live || !hugePages:
	case err != nil || page.Sign() <= 0 || page.MilliValue()%1000 != 0:
		v.invalid(path, name, "must name the size of the pages, such as hugepages-2Mi")
	case amount.Value()%page.Value() != 0:
		v.invalid(path, amount.String(), "must be a multiple of the size of the pages, which is %s", size)
	}
}

// resourceWarnings are the reasons why the API server refuses the pods of a component whose graph is accepted: it has a name without a domain, or it was
// created before it was refused. The other components run.
func resourceWarnings(path *field.Path, s *graph.Component, live bool) message.List {
	find := func(live, withDomains bool) message.List {
		v := (&validator{options: Options{Live: live}, withDomains: withDomains}).underRule(rule.Resources)
		v.resources(path, s)
		for _, c := range containersOf(path, s) {
			v.containerResources(c.path.Child("resources"), c.Resources)
		}
		v.underRule(rule.Devices).devices(path, s)
		return v.errs
	}
	refused := find(live, false)
	var warnings message.List
	for _, m := range find(false, true) {
		if !m.IsWithin(refused) {
			warnings = append(warnings, told(m, "the API server refuses the pods: %s"))
		}
	}
	if live {
		for _, m := range podResources(path, s) {
			warnings = append(warnings, told(m, "a new graph is refused with it: %s"))
		}
	}
	return warnings
}

// told of a reason, after what follows from it.
func told(m *message.Message, format string) *message.Message {
	return &message.Message{Code: m.Code, Field: m.Field, Detail: message.Format(format, m.Detail)}
}

// podResources are the reasons why the API server refuses what the pods of a component request as a whole. Before Kubernetes 1.34, it ignores
// that, so graphs may be live with it.
// https://github.com/kubernetes/kubernetes/blob/v1.36.3/pkg/apis/core/validation/validation.go#L4742
func podResources(path *field.Path, s *graph.Component) message.List {
	own := s.Pod().Resources
	if own == nil {
		return nil
	}
	path = graph.PodPath(path, "resources")
	v := (&validator{}).underRule(rule.Resources)
	if own.Claims != nil {
		v.forbidden(path.Child("claims"), "pods have no claims as a whole; move them to {{podTemplate.spec.containers[main]}}")
	}
	for part, list := range map[string]corev1.ResourceList{"requests": own.Requests, "limits": own.Limits} {
		for name, amount := range list {
			where := path.Child(part).Key(string(name))
			if !resourcehelper.IsSupportedPodLevelResource(name) || len(validation.IsQualifiedName(string(name))) > 0 {
				v.invalid(where, string(name), "is not a resource of pods as a whole, which are cpu, memory and hugepages-<size>; move it to {{podTemplate.spec.containers[main]}}")
				continue
			}
			v.resourceAmount(where, string(name), amount)
		}
	}
	requests, limits := amounts{}, amounts{}
	requests.set(own.Requests, path.Child("requests"))
	limits.set(own.Limits, path.Child("limits"))
	maps.DeleteFunc(requests, func(name corev1.ResourceName, _ amount) bool {
		return !resourcehelper.IsSupportedPodLevelResource(name)
	})
	v.containersFit(s, requests, limits)
	v.notOvercommitted(requests, limits)
	return v.errs
}

// containersFit into what the pods request as a whole. What these do not request, the API server adds: the sum of the containers.
// https://github.com/kubernetes/kubernetes/blob/v1.36.3/pkg/apis/core/v1/defaults.go
func (v *validator) containersFit(s *graph.Component, requests, limits amounts) {
	whole := &corev1.Pod{Spec: corev1.PodSpec{
		Containers:     withRequests(slices.Concat([]corev1.Container{s.Main()}, s.Beside())),
		InitContainers: withRequests(s.Pod().InitContainers),
	}}
	requested := resourcehelper.AggregateContainerRequests(whole, resourcehelper.PodResourcesOptions{})
	limited := resourcehelper.AggregateContainerLimits(whole, resourcehelper.PodResourcesOptions{})
	for name, request := range requests {
		if sum := requested[name]; request.Sign() >= 0 && sum.Cmp(request.Quantity) > 0 {
			v.invalid(request.path, request.String(), "must be at least what the containers request, which is %s", sum.String())
		}
	}
	for name, limit := range limits {
		most, what := requested[name], "what the containers request"
		if _, written := requests[name]; written || isHugePages(string(name)) {
			most = resource.Quantity{}
		}
		if sum := limited[name]; isHugePages(string(name)) {
			most, what = sum, "the limits of the containers"
		}
		for i := range whole.Spec.Containers {
			if of := whole.Spec.Containers[i].Resources.Limits[name]; of.Cmp(most) > 0 {
				most, what = of, "the limit of a container"
			}
		}
		if limit.Sign() >= 0 && most.Cmp(limit.Quantity) > 0 {
			v.invalid(limit.path, limit.String(), "must be at least %s, which is %s", what, most.String())
		}
	}
}

// withRequests are the resources of containers. A limit without a request is the request.
func withRequests(containers []corev1.Container) []corev1.Container {
	var all []corev1.Container
	for i := range containers {
		r := *containers[i].Resources.DeepCopy()
		requests := maps.Clone(r.Limits)
		if requests == nil {
			requests = r.Requests
		}
		maps.Copy(requests, r.Requests)
		r.Requests = requests
		all = append(all, corev1.Container{Resources: r, RestartPolicy: containers[i].RestartPolicy})
	}
	return all
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
