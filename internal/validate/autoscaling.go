package validate

import (
	"slices"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// Limits of the API server.
const (
	maxStabilizationSeconds = 3600
	maxPeriodSeconds        = 1800
)

// autoscaling checks what the API server would refuse in the HorizontalPodAutoscaler of a component.
func (v *validator) autoscaling(path *field.Path, s *graph.Component) {
	if !s.IsAutoscaled() {
		return
	}
	fieldPath := path.Child("autoscaling")
	if s.HasScalingAdapter() {
		v.forbidden(fieldPath, "autoscaling and scalingAdapter cannot both be enabled; disable one of the two, or let your own autoscaler scale the adapter")
	}
	if s.Type == v1beta1.ComponentEPP {
		v.forbidden(fieldPath, "may not be set for the Endpoint Picker, which has exactly 1 replica; remove it")
	}
	v.autoscalingBounds(fieldPath, s)
	for i := range s.Autoscaling.Metrics {
		v.metric(fieldPath.Child("metrics").Index(i), &s.Autoscaling.Metrics[i])
		v.metricOfEngine(fieldPath.Child("metrics").Index(i), s, &s.Autoscaling.Metrics[i])
	}
	if behavior := s.Autoscaling.Behavior; behavior != nil {
		v.scalingRules(fieldPath.Child("behavior", "scaleUp"), behavior.ScaleUp)
		v.scalingRules(fieldPath.Child("behavior", "scaleDown"), behavior.ScaleDown)
	}
}

// scaleTogether checks what is scaled together. The numbers in the graph only count until its adapter exists.
func (v *validator) scaleTogether() {
	text, ok := v.graph.Annotations[metadata.AnnotationScaleTogether]
	if !ok {
		return
	}
	unit, problems := graph.ParseUnit(text)
	for _, problem := range problems {
		v.invalid(graph.ScaleTogetherPath(), text, "%s; name each {{component}} once with its replicas in a unit, such as Prefill=1,Decode=2", problem)
	}
	for _, share := range unit {
		switch s := v.graph.Component(share.Component); {
		case v.graph.Components[share.Component] == nil:
			v.invalid(graph.ScaleTogetherPath(), text, "the graph has no {{component}} %q; correct the name, or remove it", share.Component)
		case s.Type == v1beta1.ComponentEPP:
			v.invalid(graph.ScaleTogetherPath(), text, "%s is the Endpoint Picker, which has exactly 1 replica; remove it", s.Name)
		case s.HasScalingAdapter():
			v.forbidden(graph.ComponentPath(s.Name, "scalingAdapter"), alsoScaled, metadata.AnnotationScaleTogether)
		case s.IsAutoscaled():
			v.forbidden(graph.ComponentPath(s.Name, "autoscaling"), alsoScaled, metadata.AnnotationScaleTogether)
		}
	}
	for _, a := range v.graph.Adapters() {
		units := a.Units((*graph.Component).Replicas)
		for _, share := range a.Unit {
			_, scaled := v.graph.Scaled[share.Component]
			if replicas := v.graph.Component(share.Component).Replicas(); replicas >= 0 && replicas != share.Of(units) && !scaled {
				v.invalid(graph.ComponentPath(share.Component, "replicas"), replicas, "must be %d, which is %d times its %d in annotation %s; change it, or the numbers in the annotation", share.Of(units), units, share.Replicas, metadata.AnnotationScaleTogether)
			}
		}
	}
}

const alsoScaled = "the {{component}} is scaled with others, as annotation %s says, and cannot be scaled alone too; remove it here or there"

func (v *validator) autoscalingBounds(path *field.Path, s *graph.Component) {
	least, most := s.Autoscaling.MinReplicas, s.Autoscaling.MaxReplicas
	atLeast := 1
	if v.options.Grove {
		atLeast = int(s.MinAvailable())
	}
	written := v.graph.Has(s.Name, "autoscaling", "minReplicas")
	switch {
	case written && least < 1:
		v.invalid(path.Child("minReplicas"), least, "must be at least 1, because an autoscaler cannot scale up from 0")
	case written && least < atLeast:
		v.invalid(path.Child("minReplicas"), least, "must be at least minAvailable, which is %d", atLeast)
	}
	switch {
	case most > maxReplicas:
		v.invalid(path.Child("maxReplicas"), most, "must be at most %d", maxReplicas)
	case most < max(least, 1):
		v.invalid(path.Child("maxReplicas"), most, "must be at least 1 and at least minReplicas")
	case most < atLeast:
		v.invalid(path.Child("maxReplicas"), most, "must be at least minAvailable, which is %d", atLeast)
	}
}

// metricSource is one of the fields of a metric that contain its source.
type metricSource struct {
	kind  autoscalingv2.MetricSourceType
	field string
	given bool
	check func(path *field.Path)
}

// metric needs exactly the source of its type.
func (v *validator) metric(path *field.Path, m *autoscalingv2.MetricSpec) {
	sources := v.metricSources(m)
	var kinds []string
	for _, source := range sources {
		kinds = append(kinds, string(source.kind))
	}
	known := slices.Contains(kinds, string(m.Type))
	if !known {
		v.add(message.NotSupported(path.Child("type"), m.Type, kinds))
	}
	for _, source := range sources {
		fieldPath := path.Child(source.field)
		switch wanted := source.kind == m.Type; {
		case source.given && (wanted || !known):
			source.check(fieldPath)
		case wanted:
			v.required(fieldPath, "is required for a metric of type %s", m.Type)
		case source.given:
			v.forbidden(fieldPath, "may not be set for a metric of type %s; remove it, or move it to a separate metric", m.Type)
		}
	}
}

func (v *validator) metricSources(m *autoscalingv2.MetricSpec) []metricSource {
	return []metricSource{
		{autoscalingv2.ContainerResourceMetricSourceType, "containerResource", m.ContainerResource != nil, func(path *field.Path) {
			v.resourceName(path.Child("name"), string(m.ContainerResource.Name))
			v.containerName(path.Child("container"), m.ContainerResource.Container)
			v.metricTarget(path.Child("target"), &m.ContainerResource.Target, targetFields{averageValue: true, averageUtilization: true})
		}},
		{autoscalingv2.ExternalMetricSourceType, "external", m.External != nil, func(path *field.Path) {
			v.metricName(path.Child("metric", "name"), m.External.Metric.Name)
			v.metricTarget(path.Child("target"), &m.External.Target, targetFields{value: true, averageValue: true})
		}},
		{autoscalingv2.ObjectMetricSourceType, "object", m.Object != nil, func(path *field.Path) {
			v.describedObject(path.Child("describedObject"), m.Object.DescribedObject)
			v.metricName(path.Child("metric", "name"), m.Object.Metric.Name)
			v.metricTarget(path.Child("target"), &m.Object.Target, targetFields{value: true, averageValue: true, both: true})
		}},
		{autoscalingv2.PodsMetricSourceType, "pods", m.Pods != nil, func(path *field.Path) {
			v.metricName(path.Child("metric", "name"), m.Pods.Metric.Name)
			v.metricTarget(path.Child("target"), &m.Pods.Target, targetFields{averageValue: true})
		}},
		{autoscalingv2.ResourceMetricSourceType, "resource", m.Resource != nil, func(path *field.Path) {
			v.resourceName(path.Child("name"), string(m.Resource.Name))
			v.metricTarget(path.Child("target"), &m.Resource.Target, targetFields{averageValue: true, averageUtilization: true})
		}},
	}
}

func (v *validator) scalingRules(path *field.Path, rules *autoscalingv2.HPAScalingRules) {
	if rules == nil {
		return
	}
	if seconds := rules.StabilizationWindowSeconds; seconds != nil && (*seconds < 0 || *seconds > maxStabilizationSeconds) {
		v.invalid(path.Child("stabilizationWindowSeconds"), *seconds, "must be between 0 and %d, inclusive", maxStabilizationSeconds)
	}
	if rules.SelectPolicy != nil {
		v.oneOf(path.Child("selectPolicy"), string(*rules.SelectPolicy), "Disabled", "Max", "Min")
	}
	if rules.Policies != nil && len(rules.Policies) == 0 {
		v.required(path.Child("policies"), "must have at least one policy; remove it to use the defaults")
	}
	for i, policy := range rules.Policies {
		fieldPath := path.Child("policies").Index(i)
		v.oneOf(fieldPath.Child("type"), string(policy.Type), "Percent", "Pods")
		if policy.Value < 1 {
			v.invalid(fieldPath.Child("value"), policy.Value, "must be at least 1")
		}
		if policy.PeriodSeconds < 1 || policy.PeriodSeconds > maxPeriodSeconds {
			v.invalid(fieldPath.Child("periodSeconds"), policy.PeriodSeconds, "must be between 1 and %d, inclusive", maxPeriodSeconds)
		}
	}
	if rules.Tolerance != nil && rules.Tolerance.Sign() < 0 {
		v.invalid(path.Child("tolerance"), rules.Tolerance.String(), "must be at least 0")
	}
}

// autoscalerNames refuses a component whose autoscaler has the name of the helper that scales another component.
func (v *validator) autoscalerNames() {
	for _, component := range v.graph.ComponentsByName() {
		for _, other := range v.graph.ComponentNames() {
			if component.IsAutoscaled() && v.graph.Names().Component(component.Name) == v.graph.Names().Replicas(other) {
				v.invalid(graph.ComponentsPath().Key(component.Name), component.Name, "its autoscaler would have the name of the HorizontalPodAutoscaler that scales {{component}} %s; rename one of the two {{components}}", names.Lower(other))
			}
		}
	}
}
