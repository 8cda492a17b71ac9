package validate

import (
	"path"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
)

const (
	sharedMemoryVolume = "shared-memory"
	sharedMemoryPath   = "/dev/shm"
)

// sharedMemory replaces a volume or mount of the user with that name or path.
func (w *warnings) sharedMemory(at *field.Path, s *graph.Component) {
	if s.SharedMemory != nil && s.SharedMemory.Disabled {
		return
	}
	const replaced = "is replaced by the shared memory of the {{service}}; set {{sharedMemory.size}} instead, or set {{sharedMemory.disabled: true}} to keep it"
	for i, mount := range s.VolumeMounts {
		if path.Clean(mount.MountPoint) == sharedMemoryPath {
			w.add(at.Child("volumeMounts").Index(i), replaced)
		}
	}
	if s.ExtraPodSpec == nil {
		return
	}
	warned := false
	for i := range s.ExtraPodSpec.Volumes {
		if s.ExtraPodSpec.Volumes[i].Name == sharedMemoryVolume {
			warned = true
			w.add(at.Child("extraPodSpec", "volumes").Index(i), replaced)
		}
	}
	if s.ExtraPodSpec.MainContainer == nil {
		return
	}
	for i, mount := range s.ExtraPodSpec.MainContainer.VolumeMounts {
		// A mount of a volume that is replaced too is the same mistake.
		if path.Clean(mount.MountPath) == sharedMemoryPath && (!warned || mount.Name != sharedMemoryVolume) {
			w.add(at.Child("extraPodSpec", "mainContainer", "volumeMounts").Index(i), replaced)
		}
	}
}
