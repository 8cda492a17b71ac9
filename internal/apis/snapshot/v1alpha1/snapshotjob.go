package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// LabelJob is the name of the SnapshotJob to which a pod or a PodSnapshot belongs.
const LabelJob = "nvidia.com/snapshot-job"

const conditionCompleted = "Completed"

// SnapshotJob runs a pod once, and stores the state of one of its containers in a PodSnapshot, which stays when the job is deleted. Its spec
// cannot be changed.
// https://github.com/ai-dynamo/snapshot/blob/main/api/v1alpha1/snapshotjob_types.go
type SnapshotJob struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   SnapshotJobSpec   `json:"spec"`
	Status SnapshotJobStatus `json:"status,omitzero"`
}

// SnapshotJobSpec says what is run and stored.
type SnapshotJobSpec struct {
	// ActiveDeadlineSeconds after which a job that has stored nothing fails.
	ActiveDeadlineSeconds int64 `json:"activeDeadlineSeconds,omitempty"`

	// PodTemplate of the pod. The operator adds the folder, the readiness probe and the profile with which its agent stores the state.
	PodTemplate corev1.PodTemplateSpec `json:"podTemplate"`

	PodSnapshotTemplate PodSnapshotTemplate `json:"podSnapshotTemplate"`
}

// PodSnapshotTemplate says what is stored.
type PodSnapshotTemplate struct {
	// TargetContainers is exactly one container.
	TargetContainers []string `json:"targetContainers"`
}

// SnapshotJobStatus says how far the job is.
type SnapshotJobStatus struct {
	// PodSnapshotName is the PodSnapshot that the job has created. Empty if it has created none yet.
	PodSnapshotName string `json:"podSnapshotName,omitempty"`

	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// Completed reports whether the state has been stored for good.
func (j *SnapshotJob) Completed() bool {
	return meta.IsStatusConditionTrue(j.Status.Conditions, conditionCompleted)
}

// Failure is why the state will never be stored. nil if the job has not failed.
func (j *SnapshotJob) Failure() *metav1.Condition {
	if c := meta.FindStatusCondition(j.Status.Conditions, conditionFailed); c != nil && c.Status == metav1.ConditionTrue {
		return c
	}
	return nil
}
