package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PodClique is created by Grove for a clique: the pods of a role.
type PodClique struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   PodCliqueSpec   `json:"spec"`
	Status PodCliqueStatus `json:"status,omitzero"`
}

// PodCliqueSpec is the desired PodClique.
type PodCliqueSpec struct {
	// Replicas of a clique in the PodCliqueSet have no effect after the PodClique has been created.
	Replicas int32 `json:"replicas"`
}

// PodCliqueStatus is the observed PodClique. Its replicas are pods.
type PodCliqueStatus struct {
	ObservedGeneration *int64 `json:"observedGeneration,omitempty"`
	Replicas           int32  `json:"replicas,omitempty"`
	UpdatedReplicas    int32  `json:"updatedReplicas"`
	ReadyReplicas      int32  `json:"readyReplicas"`
	ScheduledReplicas  int32  `json:"scheduledReplicas"`
	// ScheduleGatedReplicas are pods that are not handed to the scheduler yet.
	ScheduleGatedReplicas int32              `json:"scheduleGatedReplicas"`
	Conditions            []metav1.Condition `json:"conditions,omitempty"`
	// UpdateProgress was named rollingUpdateProgress before v0.1.0-alpha.7.
	UpdateProgress        *PodCliqueUpdateProgress `json:"updateProgress,omitempty"`
	RollingUpdateProgress *PodCliqueUpdateProgress `json:"rollingUpdateProgress,omitempty"`
	LastErrors            []LastError              `json:"lastErrors,omitempty"`
}

// PodCliqueUpdateProgress of the rolling update of a PodClique.
type PodCliqueUpdateProgress struct {
	UpdateProgress `json:",inline"`

	ReadyPodsSelectedToUpdate *PodsSelectedToUpdate `json:"readyPodsSelectedToUpdate,omitempty"`
}

// PodsSelectedToUpdate are pods that were ready when the rolling update deleted them, one after the other.
type PodsSelectedToUpdate struct {
	Current   string   `json:"current"`
	Completed []string `json:"completed,omitempty"`
}

// PodCliqueScalingGroup is created by Grove for a scaling group: cliques that scale together.
type PodCliqueScalingGroup struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   PodCliqueScalingGroupSpec   `json:"spec"`
	Status PodCliqueScalingGroupStatus `json:"status,omitzero"`
}

// PodCliqueScalingGroupSpec is the desired PodCliqueScalingGroup.
type PodCliqueScalingGroupSpec struct {
	// Replicas of a scaling group in the PodCliqueSet have no effect after the PodCliqueScalingGroup has been created.
	Replicas int32 `json:"replicas"`
}

// PodCliqueScalingGroupStatus is the observed PodCliqueScalingGroup. A replica is a set of all its cliques.
type PodCliqueScalingGroupStatus struct {
	ObservedGeneration *int64             `json:"observedGeneration,omitempty"`
	Replicas           int32              `json:"replicas,omitempty"`
	UpdatedReplicas    int32              `json:"updatedReplicas"`
	AvailableReplicas  int32              `json:"availableReplicas"`
	ScheduledReplicas  int32              `json:"scheduledReplicas"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
	// UpdateProgress was named rollingUpdateProgress before v0.1.0-alpha.7.
	UpdateProgress        *UpdateProgress `json:"updateProgress,omitempty"`
	RollingUpdateProgress *UpdateProgress `json:"rollingUpdateProgress,omitempty"`
	LastErrors            []LastError     `json:"lastErrors,omitempty"`
}

// Conditions of PodCliques and PodCliqueScalingGroups.
const (
	// ConditionMinAvailableBreached is True if fewer replicas are available than the gang needs. In some versions, it is False with one of
	// the reasons below while no pod is scheduled.
	ConditionMinAvailableBreached = "MinAvailableBreached"
	// ConditionPodCliqueScheduled of a PodClique is False while fewer of its pods are scheduled than the gang needs.
	ConditionPodCliqueScheduled = "PodCliqueScheduled"
	// ConditionGangTerminationInProgress of a PodCliqueScalingGroup is True from the termination of its gang until its recovery, since
	// v0.1.0-alpha.12.
	ConditionGangTerminationInProgress = "GangTerminationInProgress"
)

// Reasons of ConditionMinAvailableBreached if pods are waiting to be scheduled: of a PodClique, of a PodCliqueScalingGroup, and of both
// since v0.1.0-alpha.12. The first is that of ConditionPodCliqueScheduled as well.
const (
	ReasonInsufficientScheduledPods          = "InsufficientScheduledPods"
	ReasonInsufficientScheduledScalingGroups = "InsufficientScheduledPodCliqueScalingGroupReplicas"
	ReasonScheduledReplicasBelowMinAvailable = "ScheduledReplicasBelowMinAvailable"
)
