// Package v1alpha1 contains the fields of the API of the snapshot operator that are read, and what its agent reads from pods. Up to
// v0.1.0-alpha.1, the agent finds pods by labels with the ID of what is stored. Since v0.1.0, an annotation of the pod names its PodSnapshot.
// https://github.com/ai-dynamo/snapshot/tree/b7e707c53/api/v1alpha1
// https://github.com/ai-dynamo/snapshot/tree/main/api/podcontract
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

	// KindJob is served since v0.1.0.
	KindJob = "SnapshotJob"
)

// Labels of pods and of PodSnapshots up to v0.1.0-alpha.1.
const (
	// LabelCheckpointID is the ID under which the state of the process is stored. The agent restores pods that have it.
	LabelCheckpointID = "nvidia.com/snapshot-checkpoint-id"
	// LabelRestoreTarget "true" marks pods that are restored.
	LabelRestoreTarget = "nvidia.com/snapshot-is-restore-target"
)

// AgentLabels of pods are those by which the agent finds pods to restore or to store, up to v0.1.0-alpha.1. It finds what is stored by its ID alone,
// whoever has stored it, so whoever writes them reaches what is stored in all namespaces. The operator resets them, too.
// https://github.com/ai-dynamo/snapshot/blob/b7e707c53/api/v1alpha1/protocol.go (ApplyRestoreTargetMetadata)
func AgentLabels() []string {
	return []string{LabelCheckpointID, LabelRestoreTarget, "nvidia.com/snapshot-is-checkpoint-source", "nvidia.com/snapshot-capture-eligible"}
}

// Annotations of pods since v0.1.0.
const (
	// AnnotationRestoreFrom is the name of the PodSnapshot from which the agent restores the pod.
	AnnotationRestoreFrom = "nvidia.com/restore-from"
	// AnnotationRestoreContainerMap is CAPTURED=RESTORED, where the container that is restored has another name than the one that was captured.
	AnnotationRestoreContainerMap = "nvidia.com/restore-container-map"
)

// Annotations of pods and of PodSnapshots up to v0.1.0-alpha.1.
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
	ControlVolume = "snapshot-control"
	ControlFolder = "/snapshot-control"
	// ControlFolderEnv is the folder. The agent refuses pods without it since v0.1.0, and programs of Dynamo read the other name.
	ControlFolderEnv       = "SNAPSHOT_CONTROL_DIR"
	LegacyControlFolderEnv = "DYN_SNAPSHOT_CONTROL_DIR"
	// RestoreStandbyEnv "1" makes the programs of Dynamo wait until they are replaced by the restored process. Those before 1.5.0 read the
	// other name.
	RestoreStandbyEnv       = "SNAPSHOT_RESTORE_STANDBY"
	LegacyRestoreStandbyEnv = "DYN_SNAPSHOT_RESTORE_STANDBY"
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

	Spec   PodSnapshotSpec   `json:"spec,omitempty"`
	Status PodSnapshotStatus `json:"status,omitzero"`
}

// PodSnapshotSpec says what is stored.
type PodSnapshotSpec struct {
	Source PodSnapshotSource `json:"source,omitempty"`
}

// PodSnapshotSource is where the state comes from.
type PodSnapshotSource struct {
	PodRef PodReference `json:"podRef,omitempty"`
}

// PodReference is a pod, and its containers that are captured since v0.1.0, which is exactly one.
type PodReference struct {
	Name       string   `json:"name,omitempty"`
	Containers []string `json:"containers,omitempty"`
}

// PodSnapshotStatus says whether the state has been stored.
type PodSnapshotStatus struct {
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// Captured is the container whose state is stored. Empty if it is not known.
func (s *PodSnapshot) Captured() string {
	if containers := s.Spec.Source.PodRef.Containers; len(containers) == 1 {
		return containers[0]
	}
	return ""
}

// CheckpointID under which the state is stored. Empty if it is not known.
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
