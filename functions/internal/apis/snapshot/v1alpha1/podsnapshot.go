// Package v1alpha1 contains the fields of the API of the snapshot operator that are read, and what its agent reads from pods.
// https://github.com/ai-dynamo/snapshot/tree/b7e707c53/api/v1alpha1
package v1alpha1

import (
	"cmp"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Version and kind. The group is that of graphs.
const (
	APIVersion = "nvidia.com/v1alpha1"
	Kind       = "PodSnapshot"
)

// Labels of pods and of PodSnapshots.
const (
	// LabelCheckpointID is the ID under which the state of the process is stored. The agent restores pods that have it.
	LabelCheckpointID = "nvidia.com/snapshot-checkpoint-id"
	// LabelRestoreTarget "true" marks pods that are restored.
	LabelRestoreTarget = "nvidia.com/snapshot-is-restore-target"
)

// Annotations of pods and of PodSnapshots.
const (
	// AnnotationArtifactVersion is the version of what is stored under an ID.
	AnnotationArtifactVersion = "nvidia.com/snapshot-artifact-version"
	// AnnotationTargetContainers are the names of the containers that are restored.
	AnnotationTargetContainers = "nvidia.com/snapshot-target-containers"
	// AnnotationStorageType and AnnotationStorageBasePath say where a pod mounts the storage.
	AnnotationStorageType     = "nvidia.com/snapshot-storage-type"
	AnnotationStorageBasePath = "nvidia.com/snapshot-storage-base-path"
)

// StorageTypePVC is the only value of AnnotationStorageType.
const StorageTypePVC = "pvc"

// The folder in which the agent and the process tell each other how far they are.
const (
	ControlVolume    = "snapshot-control"
	ControlFolder    = "/snapshot-control"
	ControlFolderEnv = "DYN_SNAPSHOT_CONTROL_DIR"
	// RestoreStandbyEnv "1" makes the programs of Dynamo wait until they are replaced by the restored process.
	RestoreStandbyEnv = "DYN_SNAPSHOT_RESTORE_STANDBY"
	// RestoredFile is written when the process has been restored.
	RestoredFile = "restore-complete"
)

// StorageVolume is the volume of a pod that mounts the storage.
const StorageVolume = "checkpoint-storage"

// SeccompProfile is the profile that the chart of the snapshot operator writes to each node. It blocks the system calls that cannot be
// restored.
const SeccompProfile = "profiles/block-iouring.json"

const (
	conditionReady  = "Ready"
	conditionFailed = "Failed"

	defaultArtifactVersion = "1"
)

// PodSnapshot is the stored state of a container.
type PodSnapshot struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Status PodSnapshotStatus `json:"status,omitempty"`
}

// PodSnapshotStatus says whether the state has been stored.
type PodSnapshotStatus struct {
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// CheckpointID under which the state is stored. Empty: it is not known.
func (s *PodSnapshot) CheckpointID() string { return s.Labels[LabelCheckpointID] }

// ArtifactVersion of what is stored.
func (s *PodSnapshot) ArtifactVersion() string { return ArtifactVersion(s.Annotations) }

// ArtifactVersion in the annotations of a PodSnapshot or of a pod.
func ArtifactVersion(annotations map[string]string) string {
	return cmp.Or(strings.TrimSpace(annotations[AnnotationArtifactVersion]), defaultArtifactVersion)
}

// Ready reports whether pods can be restored from the state.
func (s *PodSnapshot) Ready() bool {
	return meta.IsStatusConditionTrue(s.Status.Conditions, conditionReady)
}

// Failed reports whether the state will never be stored.
func (s *PodSnapshot) Failed() bool {
	return meta.IsStatusConditionTrue(s.Status.Conditions, conditionFailed)
}
