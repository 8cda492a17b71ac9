package validate

import (
	"path"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
)

// mountPaths checks where volumes are mounted. It returns the mounts of the main container by their paths.
func (v *validator) mountPaths(fieldPath *field.Path, s *graph.Component) map[string]corev1.VolumeMount {
	taken := map[string]corev1.VolumeMount{}
	for _, c := range containersOf(fieldPath, s) {
		for i, mount := range c.VolumeMounts {
			where := c.path.Child("volumeMounts").Index(i)
			v.absolute(where.Child("mountPath"), mount.MountPath)
			if mount.SubPath != "" && mount.SubPathExpr != "" {
				v.forbidden(where.Child("subPathExpr"), "may not be set together with subPath; remove one of the two")
			}
			if strings.HasPrefix(mount.SubPath, "/") || strings.HasPrefix(path.Clean(mount.SubPath), "..") {
				v.invalid(where.Child("subPath"), mount.SubPath, "must be a relative path within the volume and may not contain ..")
			}
			if c.main {
				taken[path.Clean(mount.MountPath)] = mount
			}
		}
	}
	return taken
}

// mountPoint refuses a claim at a path where the main container mounts something else. A compilation cache may be mounted there already.
func (v *validator) mountPoint(fieldPath *field.Path, mount v1alpha1.VolumeMount, point string, taken map[string]corev1.VolumeMount) {
	if point == "" {
		return
	}
	other, ok := taken[path.Clean(point)]
	switch {
	case !ok:
	case !mount.UseAsCompilationCache || other.Name != mount.Name:
		v.invalid(fieldPath, point, "is also used in {{containers[main].volumeMounts}}; change one of the two")
	case other.ReadOnly:
		v.invalid(fieldPath, point, "is mounted read-only in {{containers[main].volumeMounts}}, so the engine cannot write its compilation cache; remove readOnly")
	}
}

// clean is a path in one spelling.
func clean(mountPath string) string { return path.Clean(mountPath) }

// absolute refuses a path that the kubelet would resolve relative to the root of the container.
func (v *validator) absolute(fieldPath *field.Path, mountPath string) {
	switch {
	case mountPath == "":
	case !strings.HasPrefix(mountPath, "/"):
		v.invalid(fieldPath, mountPath, "must begin with a slash; ~ and variables are not expanded")
	case strings.Contains(mountPath, ":"):
		v.invalid(fieldPath, mountPath, "may not contain a colon")
	}
}

// claimVolume checks the name of a mounted claim, which is also the name of the volume of the pod. If the pod has a volume of that name, that
// volume is mounted, as in the Dynamo operator of August 2026.
func (v *validator) claimVolume(fieldPath *field.Path, name string) {
	if name == "" {
		return
	}
	if len(validation.IsDNS1123Label(name)) > 0 {
		v.invalid(fieldPath, name, "must be a DNS label, because a volume of the pod gets this name: lower-case letters, digits and dashes, at most 63 characters; mount other claims through {{podTemplate.spec.volumes}}")
	}
}
