package validate

import (
	"path"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
)

// sharedMemory replaces a volume or mount of the user with that name or path.
func (w *warnings) sharedMemory(fieldPath *field.Path, s *graph.Component) {
	if s.SharedMemorySize != nil && s.SharedMemorySize.IsZero() {
		return
	}
	const replaced = "is replaced by the shared memory of the {{component}}; set {{sharedMemorySize}} instead, or set {{sharedMemorySize: \"0\"}} to keep it"
	for i, mount := range s.VolumeMounts {
		if path.Clean(mount.MountPoint) == pod.SharedMemoryPath {
			w.add(fieldPath.Child("volumeMounts").Index(i), replaced)
		}
	}
	warned := false
	for i := range s.Pod().Volumes {
		if s.Pod().Volumes[i].Name == pod.SharedMemoryVolume {
			warned = true
			w.add(graph.PodPath(fieldPath, "volumes").Index(i), replaced)
		}
	}
	for i, mount := range s.WrittenMain().VolumeMounts {
		// A mount of a volume that is replaced too is the same mistake.
		if path.Clean(mount.MountPath) == pod.SharedMemoryPath && (!warned || mount.Name != pod.SharedMemoryVolume) {
			w.add(graph.MainPath(fieldPath, "volumeMounts").Index(i), replaced)
		}
	}
}
