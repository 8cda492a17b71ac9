package written

import (
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// layered are the values of each key in the places where it may stand, those that others override first. A value that stands
// twice counts in the last place only.
func layered[V any](layers ...map[string]V) map[string][]V {
	all := map[string][]V{}
	for _, layer := range layers {
		for key, value := range layer {
			others := slices.DeleteFunc(all[key], func(v V) bool { return reflect.DeepEqual(v, value) })
			all[key] = append(others, value)
		}
	}
	return all
}

// byName are variables by their names; of two of one name in a list the last one counts.
func byName(list []corev1.EnvVar) map[string]corev1.EnvVar {
	all := make(map[string]corev1.EnvVar, len(list))
	for _, variable := range list {
		all[variable.Name] = variable
	}
	return all
}
