// Package v1beta1 contains the fields of PodGroups of scheduling.k8s.io/v1beta1, the gangs of Kubernetes itself since v1.37, that this project
// writes and reads, and that v1 has too. The types of Kubernetes v1.36, which this project is built with, do not have them.
package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The versions of the API, and the kind.
const (
	APIVersion = "scheduling.k8s.io/v1beta1"
	Stable     = "scheduling.k8s.io/v1"
	Kind       = "PodGroup"
)

// Has reports whether a version of an API is one of the versions.
func Has(apiVersion string) bool { return apiVersion == APIVersion || apiVersion == Stable }

// Gates of Kubernetes behind which the API server keeps the gangs of pods, and the topology of gangs.
const (
	GateGangs    = "GenericWorkload"
	GateTopology = "TopologyAwareWorkloadScheduling"
)

// Finalizer that the API server gives each PodGroup. The controller manager takes it off when no pod names the PodGroup any more, if its gate for
// gangs is on.
const Finalizer = "scheduling.k8s.io/podgroup-protection"

// ConditionScheduled of a PodGroup says whether its pods have been scheduled together. Once it is True, it never changes.
const ConditionScheduled = "PodGroupInitiallyScheduled"

// PodGroup is a gang: its pods are scheduled together or not at all.
type PodGroup struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec Spec `json:"spec"`
}

// Spec of a PodGroup. It cannot change, except for the number of pods.
type Spec struct {
	SchedulingPolicy      SchedulingPolicy       `json:"schedulingPolicy"`
	SchedulingConstraints *SchedulingConstraints `json:"schedulingConstraints,omitempty"`
	DisruptionMode        *DisruptionMode        `json:"disruptionMode,omitempty"`
	PriorityClassName     string                 `json:"priorityClassName,omitempty"`
}

// SchedulingPolicy of the pods.
type SchedulingPolicy struct {
	Gang *Gang `json:"gang,omitempty"`
}

// Gang of pods.
type Gang struct {
	MinCount int32 `json:"minCount"`
}

// SchedulingConstraints of the pods.
type SchedulingConstraints struct {
	// Topology has at most one constraint.
	Topology []TopologyConstraint `json:"topology,omitempty"`
}

// TopologyConstraint packs all pods into one domain, which is required.
type TopologyConstraint struct {
	// Key of the label that nodes of the same domain share.
	Key string `json:"key"`
}

// DisruptionMode says which pods are preempted together.
type DisruptionMode struct {
	// Single says that each is preempted alone. It is the default of Kubernetes.
	Single *struct{} `json:"single,omitempty"`

	// All says that all are preempted together.
	All *struct{} `json:"all,omitempty"`
}

// TopologyKey by which the pods are packed. It is empty if they are not.
func (s *Spec) TopologyKey() string {
	if s.SchedulingConstraints == nil || len(s.SchedulingConstraints.Topology) == 0 {
		return ""
	}
	return s.SchedulingConstraints.Topology[0].Key
}
