package graph

import (
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
)

// placeOf a field that an object of a type does not have: where to set it instead. Empty if it is not known. Most of these fields are those
// of another object of the graph, some levels too high or too low.
func placeOf(parent reflect.Type, name string) string {
	if parent == reflect.TypeFor[corev1.EnvVar]() {
		return placeOfEnv(name)
	}
	if parent == reflect.TypeFor[v1alpha1.DynamoGraphDeploymentSpec]() && name == "env" {
		return "" // It has another name here.
	}
	isMetadata := name == "metadata" || name == "labels" || name == "annotations"
	switch {
	case parent == reflect.TypeFor[v1alpha1.Service]() && name == "env":
		return "use envs instead, or set it in extraPodSpec.mainContainer"
	case parent == reflect.TypeFor[v1alpha1.Service]() && name == "gpu":
		return "set it in resources.limits"
	case parent == reflect.TypeFor[v1alpha1.Service]() && name == "mainContainer":
		return "set it in extraPodSpec"
	case parent == reflect.TypeFor[v1alpha1.Service]() && (name == "podTemplate" || name == "metadata"):
		return "use extraPodMetadata and extraPodSpec instead"
	case isMetadata && parent == reflect.TypeFor[v1alpha1.ExtraPodSpec]():
		return "set it in extraPodMetadata of the service, beside extraPodSpec"
	case isMetadata && slices.Contains([]reflect.Type{
		reflect.TypeFor[v1beta1.Component](), reflect.TypeFor[corev1.PodTemplateSpec](), reflect.TypeFor[corev1.PodSpec](),
	}, parent):
		return "set it in podTemplate.metadata"
	case parent == reflect.TypeFor[v1alpha1.Resources]() || parent == reflect.TypeFor[v1alpha1.ResourceList]():
		if strings.Contains(name, "/") {
			return "set it in custom, such as custom: {" + name + ": \"1\"}"
		}
	}
	for _, h := range homes()[parent] {
		if h.has(name) {
			return "set it in " + h.where
		}
	}
	return ""
}

// A home is an object that has a field, and where it is.
type home struct {
	has   func(name string) bool
	where string
}

// homes of fields that an object of a type does not have. The containers of a pod also have a name, so what is a field of both is that of the pod.
func homes() map[reflect.Type][]home {
	const mainOfService, mainOfComponent = "extraPodSpec.mainContainer", "container main of podTemplate.spec.containers"
	graph, graphOfComponents := has[v1alpha1.DynamoGraphDeploymentSpec], has[v1beta1.DynamoGraphDeploymentSpec]
	service, component := has[v1alpha1.Service], has[v1beta1.Component]
	pod, container := has[corev1.PodSpec], has[corev1.Container]
	main := func(name string) bool { return name == "mainContainer" }
	template := func(name string) bool { return name == "metadata" || name == "spec" }
	return map[reflect.Type][]home{
		reflect.TypeFor[v1alpha1.DynamoGraphDeploymentSpec](): {
			{service, "each of the services"},
			{main, "extraPodSpec of each of the services"},
			{pod, "extraPodSpec of each of the services"},
			{container, mainOfService + " of each of the services"},
		},
		reflect.TypeFor[v1alpha1.Service](): {{pod, "extraPodSpec"}, {container, mainOfService}, {graph, "spec of the graph"}},
		reflect.TypeFor[v1alpha1.ExtraPodSpec](): {
			{service, "the service, beside extraPodSpec"}, {container, mainOfService}, {graph, "spec of the graph"},
		},
		reflect.TypeFor[v1beta1.DynamoGraphDeploymentSpec](): {
			{component, "each of the components"},
			{template, "podTemplate of each of the components"},
			{pod, "podTemplate.spec of each of the components"},
			{container, mainOfComponent},
		},
		reflect.TypeFor[v1beta1.Component](): {
			{template, "podTemplate"},
			{pod, "podTemplate.spec"},
			{container, mainOfComponent},
			{graphOfComponents, "spec of the graph"},
		},
		reflect.TypeFor[corev1.PodTemplateSpec](): {
			{pod, "podTemplate.spec"},
			{component, "the component, beside podTemplate"},
			{container, mainOfComponent},
			{graphOfComponents, "spec of the graph"},
		},
		reflect.TypeFor[corev1.PodSpec](): {
			{component, "the component, beside podTemplate"},
			{template, "podTemplate"},
			{container, "a container of containers"},
			{graphOfComponents, "spec of the graph"},
		},
		reflect.TypeFor[corev1.Container](): {
			{pod, "the spec of the pod, beside the container"},
			{service, "the service"},
			{component, "the component"},
			{template, "the template of the pod"},
			{main, "extraPodSpec"},
		},
	}
}

// placeOfEnv is about what is written as a variable and is the source of one, or of several.
func placeOfEnv(name string) string {
	switch {
	case has[corev1.EnvFromSource](name):
		return "use envFrom of the main container instead, which sets all variables of a ConfigMap or Secret"
	case has[corev1.EnvVarSource](name):
		return "set it in valueFrom"
	default:
		return ""
	}
}

// has reports whether the JSON of a type has a field.
func has[T any](name string) bool {
	for field := range reflect.TypeFor[T]().Fields() {
		if own, _, _ := strings.Cut(field.Tag.Get("json"), ","); own == name && name != "" {
			return true
		}
	}
	return false
}
