package graph

import (
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
)

// placeOf a field that an object of a type does not have: where to set it instead. Empty means that it is not known. Most of these fields are those
// of a container or a pod, one or two levels too high.
func placeOf(parent reflect.Type, name string) string {
	container, pod := has[corev1.Container](name), has[corev1.PodSpec](name)
	// The containers of a pod also have a name, so what is a field of both is that of the pod.
	switch parent {
	case reflect.TypeFor[v1alpha1.Service]():
		switch {
		case name == "env":
			return "use envs instead, or set it in extraPodSpec.mainContainer"
		case name == "gpu":
			return "set it in resources.limits"
		case pod || name == "mainContainer":
			return "set it in extraPodSpec"
		case container:
			return "set it in extraPodSpec.mainContainer"
		}
	case reflect.TypeFor[v1alpha1.ExtraPodSpec]():
		if container {
			return "set it in extraPodSpec.mainContainer"
		}
	case reflect.TypeFor[v1alpha1.Resources](), reflect.TypeFor[v1alpha1.ResourceList]():
		if strings.Contains(name, "/") {
			return "set it in custom, such as custom: {" + name + ": \"1\"}"
		}
	case reflect.TypeFor[v1beta1.Component]():
		switch {
		case pod:
			return "set it in podTemplate.spec"
		case container:
			return "set it in container main of podTemplate.spec.containers"
		}
	case reflect.TypeFor[corev1.PodTemplateSpec]():
		switch {
		case pod:
			return "set it in podTemplate.spec"
		case container:
			return "set it in container main of podTemplate.spec.containers"
		}
	case reflect.TypeFor[corev1.PodSpec]():
		if container {
			return "set it in a container of containers"
		}
	case reflect.TypeFor[corev1.Container]():
		if pod {
			return "set it in the spec of the pod, beside the container"
		}
	case reflect.TypeFor[corev1.EnvVar]():
		return placeOfEnv(name)
	}
	return ""
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
