package pod

import (
	"path"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/engine"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
)

// The volume of shared memory, and where containers mount it.
const (
	SharedMemoryVolume = "shared-memory"
	SharedMemoryPath   = "/dev/shm"
)

// IsOwnVolume reports whether a volume with this name may be generated.
func IsOwnVolume(name string) bool {
	switch name {
	case SharedMemoryVolume, eppConfigVolume, eppCacheVolume:
		return true
	default:
		return false
	}
}

// MountPoint of a volumeMount: the given path, or the path of the engine's compilation cache. Empty if it is not known.
func MountPoint(mount v1alpha1.VolumeMount, framework v1alpha1.BackendFramework) string {
	if mount.MountPoint == "" && mount.UseAsCompilationCache {
		return engine.Of(framework).CachePath
	}
	return mount.MountPoint
}

// mountClaims mounts the component's claims into its main container, and sets the variable for the compilation cache if the engine has one.
func mountClaims(container *corev1.Container, c component) {
	mounted := sets.New[string]()
	for _, mount := range container.VolumeMounts {
		mounted.Insert(path.Clean(mount.MountPath))
	}
	for _, mount := range c.spec.VolumeMounts {
		point := MountPoint(mount, c.decision.Framework)
		// The user may also mount the claim in the container, for a part of it.
		if mount.UseAsCompilationCache && mounted.Has(path.Clean(point)) {
			continue
		}
		mounted.Insert(path.Clean(point))
		container.VolumeMounts = append(container.VolumeMounts, corev1.VolumeMount{Name: mount.Name, MountPath: point})
	}
	variable := engine.Of(c.decision.Framework).CacheVariable
	if variable == "" || hasEnv(container.Env, variable) {
		return
	}
	for _, mount := range c.spec.VolumeMounts {
		if mount.UseAsCompilationCache && (mount.MountPoint != "" || c.decision.RuntimeVersion.Has(runtime.CompilationCacheDefault)) {
			container.Env = append(container.Env, corev1.EnvVar{Name: variable, Value: MountPoint(mount, c.decision.Framework)})
			return
		}
	}
}

func hasEnv(env []corev1.EnvVar, name string) bool {
	return slices.ContainsFunc(env, func(e corev1.EnvVar) bool { return e.Name == name })
}

// withDefaultVolumes adds the component type's volumes that the user does not define, because its mounts need them.
func withDefaultVolumes(volumes, defaults []corev1.Volume) []corev1.Volume {
	for _, d := range defaults {
		if !slices.ContainsFunc(volumes, func(v corev1.Volume) bool { return v.Name == d.Name }) {
			volumes = append(volumes, d)
		}
	}
	return volumes
}

// withDefaultMounts adds the component type's mounts at paths where the user has no mounts.
func withDefaultMounts(mounts, defaults []corev1.VolumeMount) []corev1.VolumeMount {
	for _, d := range defaults {
		if !slices.ContainsFunc(mounts, func(m corev1.VolumeMount) bool { return m.MountPath == d.MountPath }) {
			mounts = append(mounts, d)
		}
	}
	return mounts
}

// ClaimVolumes adds the pod's volumes for the component's claims: one for each claim, however often it is mounted.
func ClaimVolumes(volumes []corev1.Volume, mounts []v1alpha1.VolumeMount) []corev1.Volume {
	return graph.ClaimVolumes(volumes, mounts, func(m *v1alpha1.VolumeMount) string { return m.Name })
}

// shareMemory gives the main container a tmpfs at /dev/shm instead of the 64 MiB of the container runtime.
func shareMemory(spec *corev1.PodSpec, container *corev1.Container, wanted *resource.Quantity) {
	if wanted != nil && wanted.IsZero() {
		return
	}
	size := ptr.Deref(wanted, resource.MustParse("8Gi"))
	spec.Volumes = slices.DeleteFunc(spec.Volumes, func(v corev1.Volume) bool { return v.Name == SharedMemoryVolume })
	spec.Volumes = append(spec.Volumes, corev1.Volume{
		Name: SharedMemoryVolume,
		VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{
			Medium:    corev1.StorageMediumMemory,
			SizeLimit: &size,
		}},
	})
	container.VolumeMounts = slices.DeleteFunc(container.VolumeMounts, func(m corev1.VolumeMount) bool {
		return m.Name == SharedMemoryVolume || m.MountPath == SharedMemoryPath
	})
	container.VolumeMounts = append(container.VolumeMounts, corev1.VolumeMount{Name: SharedMemoryVolume, MountPath: SharedMemoryPath})
}
