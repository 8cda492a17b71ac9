// Package v1alpha1 contains the fields of grove.io/v1alpha1 that this project writes and reads. Recent versions of Grove's own API module
// do not resolve. Tests compare these types with the CustomResourceDefinitions of Grove.
package v1alpha1

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// APIVersion and kinds of Grove.
const (
	APIVersion                 = "grove.io/v1alpha1"
	KindPodCliqueSet           = "PodCliqueSet"
	KindPodClique              = "PodClique"
	KindPodCliqueScalingGroup  = "PodCliqueScalingGroup"
	KindClusterTopology        = "ClusterTopology"
	KindClusterTopologyBinding = "ClusterTopologyBinding"
)

// PodCliqueSet is a set of gangs of pods.
type PodCliqueSet struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   PodCliqueSetSpec   `json:"spec"`
	Status PodCliqueSetStatus `json:"status,omitzero"`
}

// PodCliqueSetSpec is the desired PodCliqueSet.
type PodCliqueSetSpec struct {
	Replicas int32                `json:"replicas"`
	Template PodCliqueSetTemplate `json:"template"`

	// UpdateStrategy of the pods, in alpha.8 and later.
	UpdateStrategy *UpdateStrategy `json:"updateStrategy,omitempty"`
}

// UpdateStrategy determines how pods are replaced when their template changes.
type UpdateStrategy struct {
	Type string `json:"type,omitempty"`
}

// The types of update strategies.
const (
	// UpdateCoherent replaces as many replicas of each changed clique as serve together, in alpha.14 and later.
	UpdateCoherent = "Coherent"
	// UpdateRollingRecreate replaces one replica at a time.
	UpdateRollingRecreate = "RollingRecreate"
	// UpdateOnDelete replaces a replica when its pods are deleted.
	UpdateOnDelete = "OnDelete"
)

// StartupType is the order in which cliques start.
type StartupType string

// The startup types.
const (
	StartupAnyOrder StartupType = "CliqueStartupTypeAnyOrder"
	// StartupExplicit is the order of the startsAfter of each clique.
	StartupExplicit StartupType = "CliqueStartupTypeExplicit"
)

// PodCliqueSetTemplate describes one replica of a PodCliqueSet.
type PodCliqueSetTemplate struct {
	Cliques               []Clique              `json:"cliques"`
	StartupType           StartupType           `json:"cliqueStartupType,omitempty"`
	PriorityClassName     string                `json:"priorityClassName,omitempty"`
	HeadlessServiceConfig HeadlessServiceConfig `json:"headlessServiceConfig"`
	TopologyConstraint    *TopologyConstraint   `json:"topologyConstraint,omitempty"`
	TerminationDelay      string                `json:"terminationDelay,omitempty"`
	ScalingGroups         []ScalingGroup        `json:"podCliqueScalingGroups,omitempty"`
	// ResourceClaimTemplates are supported since v0.1.0-alpha.8.
	ResourceClaimTemplates []ResourceClaimTemplate `json:"resourceClaimTemplates,omitempty"`
}

// ResourceClaimTemplate is the template of a claim that several pods share.
type ResourceClaimTemplate struct {
	Name         string            `json:"name"`
	TemplateSpec ResourceClaimSpec `json:"templateSpec"`
}

// ResourceClaimSpec is the claim in a template. The metadata of a template is not written.
type ResourceClaimSpec struct {
	Spec resourcev1.ResourceClaimSpec `json:"spec"`
}

// ResourceSharing gives pods of a scaling group one claim.
type ResourceSharing struct {
	// Name of the template.
	Name   string                `json:"name"`
	Scope  string                `json:"scope"`
	Filter ResourceSharingFilter `json:"filter"`
}

// SharingPerReplica is the scope of a claim that the pods of each replica of a scaling group share.
const SharingPerReplica = "PerReplica"

// ResourceSharingFilter restricts which cliques of a scaling group share a claim.
type ResourceSharingFilter struct {
	ChildCliqueNames []string `json:"childCliqueNames"`
}

// ReplicasByName are the numbers of replicas of each clique and scaling group.
func (t *PodCliqueSetTemplate) ReplicasByName() map[string]int32 {
	replicas := map[string]int32{}
	for _, clique := range t.Cliques {
		replicas[clique.Name] = cmp.Or(clique.Spec.Replicas, 1)
	}
	for _, group := range t.ScalingGroups {
		replicas[group.Name] = cmp.Or(group.Replicas, 1)
	}
	return replicas
}

// HeadlessServiceConfig of the Service that gives pods their host names.
type HeadlessServiceConfig struct {
	PublishNotReadyAddresses bool `json:"publishNotReadyAddresses"`
}

// Clique is a group of pods with the same role.
type Clique struct {
	Name               string              `json:"name"`
	Labels             map[string]string   `json:"labels,omitempty"`
	Annotations        map[string]string   `json:"annotations,omitempty"`
	TopologyConstraint *TopologyConstraint `json:"topologyConstraint,omitempty"`
	// RollingUpdate of a clique without a scaling group, in alpha.14 and later.
	RollingUpdate *RollingUpdate `json:"rollingUpdate,omitempty"`
	Spec          CliqueSpec     `json:"spec"`
}

// CliqueSpec is the desired clique.
type CliqueSpec struct {
	RoleName     string         `json:"roleName"`
	PodSpec      corev1.PodSpec `json:"podSpec"`
	Replicas     int32          `json:"replicas"`
	MinAvailable int32          `json:"minAvailable"`
	StartsAfter  []string       `json:"startsAfter,omitempty"`
}

// ScalingGroup is a group of cliques that scale together.
type ScalingGroup struct {
	Name        string   `json:"name"`
	CliqueNames []string `json:"cliqueNames"`
	// Annotations are supported since v0.1.0-alpha.9.
	Annotations        map[string]string   `json:"annotations,omitempty"`
	Replicas           int32               `json:"replicas"`
	MinAvailable       int32               `json:"minAvailable"`
	TopologyConstraint *TopologyConstraint `json:"topologyConstraint,omitempty"`
	// RollingUpdate is supported since v0.1.0-alpha.14.
	RollingUpdate *RollingUpdate `json:"rollingUpdate,omitempty"`
	// ResourceSharing is supported since v0.1.0-alpha.8.
	ResourceSharing []ResourceSharing `json:"resourceSharing,omitempty"`
}

// RollingUpdate limits how Grove replaces the replicas of a clique or scaling group.
type RollingUpdate struct {
	// MaxUnavailable is how many replicas may be replaced at a time.
	MaxUnavailable int32 `json:"maxUnavailable,omitempty"`
	// ProgressDeadline is a duration after which Grove reports that an update does not progress.
	ProgressDeadline string `json:"progressDeadline,omitempty"`
}

// TopologyConstraint packs pods into a topology domain. Different versions of Grove have different fields.
type TopologyConstraint struct {
	TopologyName string        `json:"topologyName,omitempty"`
	PackDomain   string        `json:"packDomain,omitempty"`
	Pack         *TopologyPack `json:"pack,omitempty"`
}

// TopologyPack contains the domains, since Grove v0.1.0-alpha.10.
type TopologyPack struct {
	Required  string `json:"required,omitempty"`
	Preferred string `json:"preferred,omitempty"`
}

// PodCliqueSetStatus is the observed PodCliqueSet.
type PodCliqueSetStatus struct {
	ObservedGeneration *int64             `json:"observedGeneration,omitempty"`
	Replicas           int32              `json:"replicas,omitempty"`
	UpdatedReplicas    int32              `json:"updatedReplicas,omitempty"`
	AvailableReplicas  int32              `json:"availableReplicas,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
	// CurrentGenerationHash of the pod templates that Grove has begun to carry out.
	CurrentGenerationHash string `json:"currentGenerationHash,omitempty"`
	// UpdateProgress was named rollingUpdateProgress before v0.1.0-alpha.7.
	UpdateProgress        *UpdateProgress `json:"updateProgress,omitempty"`
	RollingUpdateProgress *UpdateProgress `json:"rollingUpdateProgress,omitempty"`
	LastErrors            []LastError     `json:"lastErrors,omitempty"`
}

// UpdateProgress of a rolling update.
type UpdateProgress struct {
	UpdateStartedAt *metav1.Time `json:"updateStartedAt,omitempty"`
	UpdateEndedAt   *metav1.Time `json:"updateEndedAt,omitempty"`
}

// Active reports whether a rolling update is in progress.
func (p *UpdateProgress) Active() bool { return p != nil && p.UpdateEndedAt == nil }

// LastError that Grove reports.
type LastError struct {
	Code        string `json:"code,omitempty"`
	Description string `json:"description,omitempty"`
}
