package explain

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
)

// downloaded is the model of a component that each of its nodes downloads by itself. Empty if a replica has one node, the model is not known,
// or it is in a volume, in the image, or with Model Express, from where all nodes load it.
func (d *describer) downloaded(name string, templates []corev1.PodTemplateSpec) string {
	component := d.graph.Component(name)
	if !component.IsMultinode() || d.plan.Components[name].Framework == "" || slices.ContainsFunc(templates, hasCache) {
		return ""
	}
	main := pod.Own(component, false)
	for _, flag := range []string{"model", "model-path"} {
		told, given := d.graph.CommandLines.SettingOf(&main, "", flag)
		isPlace := strings.HasPrefix(told.Value, "/") || strings.HasPrefix(told.Value, ".") || strings.Contains(told.Value, "://")
		if given && told.Known && !isPlace {
			return told.Value
		}
	}
	return ""
}

// hasCache reports whether the engine in a pod may load its model from a volume that outlives the pod, or through Model Express.
func hasCache(template corev1.PodTemplateSpec) bool {
	kept := map[string]bool{}
	for _, volume := range template.Spec.Volumes {
		kept[volume.Name] = volume.EmptyDir == nil && volume.ConfigMap == nil && volume.Secret == nil && volume.DownwardAPI == nil && volume.Projected == nil
	}
	return slices.ContainsFunc(template.Spec.Containers, func(c corev1.Container) bool {
		return slices.ContainsFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool { return kept[m.Name] }) ||
			slices.ContainsFunc(c.Env, func(e corev1.EnvVar) bool { return e.Name == "MODEL_EXPRESS_URL" })
	})
}
