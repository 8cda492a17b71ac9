package validate

import (
	"slices"
	"strings"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
)

// targetFields of a metric are fields of which one is required.
type targetFields struct {
	value, averageValue, averageUtilization bool

	// both says that more than one may be set.
	both bool
}

func (v *validator) metricTarget(path *field.Path, t *autoscalingv2.MetricTarget, allowed targetFields) {
	v.oneOf(path.Child("type"), string(t.Type), "AverageValue", "Utilization", "Value")
	v.positive(path.Child("value"), t.Value)
	v.positive(path.Child("averageValue"), t.AverageValue)
	if t.AverageUtilization != nil && *t.AverageUtilization < 1 {
		v.invalid(path.Child("averageUtilization"), *t.AverageUtilization, "must be at least 1")
	}
	var fields []string
	given := 0
	for _, f := range []struct {
		name           string
		allowed, given bool
	}{
		{"averageUtilization", allowed.averageUtilization, t.AverageUtilization != nil},
		{"averageValue", allowed.averageValue, t.AverageValue != nil},
		{"value", allowed.value, t.Value != nil},
	} {
		if !f.allowed {
			continue
		}
		fields = append(fields, f.name)
		if f.given {
			given++
		}
	}
	switch {
	case given == 0:
		v.required(path.Child(fields[0]), "a metric of this type needs %s", strings.Join(fields, " or "))
	case given > 1 && !allowed.both:
		v.forbidden(path.Child(fields[len(fields)-1]), "may only have one of %s", strings.Join(fields, " and "))
	}
}

func (v *validator) positive(path *field.Path, amount *resource.Quantity) {
	if amount != nil && amount.Sign() <= 0 {
		v.invalid(path, amount.String(), "must be greater than 0")
	}
}

// named wants a name in the form that has no problems. missing is what to do without one.
func (v *validator) named(path *field.Path, name, missing string, problemsOf func(string) []string) {
	if name == "" {
		v.required(path, "%s", missing)
		return
	}
	v.malformed(path, name, problemsOf(name))
}

func (v *validator) metricName(path *field.Path, name string) {
	v.named(path, name, "specify the name of the metric", content.IsPathSegmentName)
}

func (v *validator) describedObject(path *field.Path, ref autoscalingv2.CrossVersionObjectReference) {
	for _, part := range []struct{ field, value string }{{"kind", ref.Kind}, {"name", ref.Name}} {
		v.named(path.Child(part.field), part.value, "specify the object that has the metric", content.IsPathSegmentName)
	}
	if _, err := schema.ParseGroupVersion(ref.APIVersion); err != nil {
		v.invalid(path.Child("apiVersion"), ref.APIVersion, "must be GROUP/VERSION or v1")
	}
}

func (v *validator) resourceName(path *field.Path, name string) {
	v.named(path, name, "specify the name of the resource, such as cpu", validation.IsQualifiedName)
}

func (v *validator) containerName(path *field.Path, name string) {
	v.named(path, name, "specify the name of the container; the main container is named "+pod.MainContainer, validation.IsDNS1123Label)
}

// utilization warns of metrics that are a percentage of the requests if there are none, because the autoscaler could not compute them.
func (w *warnings) utilization(path *field.Path, s *graph.Component) {
	if !s.IsAutoscaled() {
		return
	}
	if len(s.Autoscaling.Metrics) == 0 {
		if !w.requests(s, corev1.ResourceCPU) {
			w.add(path, "without metrics Kubernetes targets a CPU utilization of 80 %% of the request, but no CPU is requested; specify metrics, or set resources.requests.cpu")
		}
		return
	}
	for i, metric := range s.Autoscaling.Metrics {
		var name corev1.ResourceName
		var target *autoscalingv2.MetricTarget
		switch {
		case metric.Resource != nil:
			name, target = metric.Resource.Name, &metric.Resource.Target
		case metric.ContainerResource != nil && slices.Contains(pod.MainContainers(s), metric.ContainerResource.Container):
			name, target = metric.ContainerResource.Name, &metric.ContainerResource.Target
		default:
			continue
		}
		if target.AverageUtilization != nil && !w.requests(s, name) {
			w.add(path.Index(i), "is relative to the requested %s, but none is requested; set resources.requests.%s", name, name)
		}
	}
}

// requests reports whether the main container requests a resource, because of its user or by a default of the platform.
func (w *warnings) requests(s *graph.Component, name corev1.ResourceName) bool {
	return pod.Requests(s, name) || w.defaults.Has(name) && pod.TakesDefault(s, name)
}
