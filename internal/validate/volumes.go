package validate

import (
	"reflect"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
)

// volumes checks the volumes of a component's pod, and what is mounted of them.
func (v *validator) volumes(path *field.Path, s *graph.Component) {
	defined := map[string]bool{}
	v.podVolumes(graph.PodPath(path, "volumes"), s.Pod().Volumes, defined)
	v.claimMounts(path, s, defined, v.mountPaths(path, s))
	for _, c := range containersOf(path, s) {
		v.mounts(c.path, c.Container, defined)
	}
}

func (v *validator) podVolumes(path *field.Path, volumes []corev1.Volume, defined map[string]bool) {
	for i := range volumes {
		fieldPath := path.Index(i)
		name := volumes[i].Name
		switch {
		case len(validation.IsDNS1123Label(name)) > 0:
			v.invalid(fieldPath.Child("name"), name, "must be a DNS label: lower-case letters, digits and dashes, at most 63 characters")
		case defined[name]:
			v.duplicate(fieldPath.Child("name"), name)
		}
		defined[name] = true
		// Without a source it is an emptyDir, as the API server has it.
		if sources(volumes[i].VolumeSource) > 1 {
			v.forbidden(fieldPath, "must have exactly one source, but has several")
		}
	}
}

// sources that a volume names. VolumeSource is a union whose members are all pointers.
func sources(source corev1.VolumeSource) int {
	n := 0
	value := reflect.ValueOf(source)
	for _, field := range value.Fields() {
		if !field.IsNil() {
			n++
		}
	}
	return n
}

// claimMounts checks volumeMounts of the component, which mount claims by name. taken are the mounts of the main container by their paths.
func (v *validator) claimMounts(path *field.Path, s *graph.Component, defined map[string]bool, taken map[string]corev1.VolumeMount) {
	if len(s.VolumeMounts) == 0 {
		return
	}
	// A framework that cannot be detected is an error of its own.
	framework, _ := frameworkOf(v.graph, s)
	points := map[string]bool{}
	for i, mount := range s.VolumeMounts {
		fieldPath := path.Child("volumeMounts").Index(i)
		point := pod.MountPoint(mount, framework)
		if mount.Name == "" {
			v.required(fieldPath.Child("name"), "specify the name of the claim")
		}
		switch {
		case point == "" && mount.UseAsCompilationCache:
			v.required(fieldPath.Child("mountPoint"), "specify the path at which the cache is mounted; only vLLM workers have a default")
		case point == "":
			v.required(fieldPath.Child("mountPoint"), "specify the path at which the claim is mounted")
		case points[point]:
			v.duplicate(fieldPath.Child("mountPoint"), point)
		}
		points[point] = true
		defined[mount.Name] = true
		v.absolute(fieldPath.Child("mountPoint"), mount.MountPoint)
		v.mountPoint(fieldPath.Child("mountPoint"), mount, point, taken)
		v.claimVolume(fieldPath.Child("name"), mount.Name)
	}
}

// mounts of a container must be of volumes that the pod has. Some volumes are added by the component type.
func (v *validator) mounts(path *field.Path, c *corev1.Container, defined map[string]bool) {
	for i, mount := range c.VolumeMounts {
		if mount.Name == "" || defined[mount.Name] || pod.IsOwnVolume(mount.Name) {
			continue
		}
		v.invalid(path.Child("volumeMounts").Index(i).Child("name"), mount.Name, "is not a volume of the pod; define it in {{podTemplate.spec.volumes}}, or mount a claim through {{volumeMounts of containers[main]}}")
	}
}
