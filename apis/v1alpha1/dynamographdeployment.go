package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Group, version and kinds of the published API.
const (
	Group   = "nvidia.com"
	Version = "v1alpha1"
	// Kind of the namespaced composite resource, and of the claim in the claims flavour.
	Kind = "DynamoGraphDeployment"
	// CompositeKind is the cluster-scoped composite resource behind a claim.
	CompositeKind = "XDynamoGraphDeployment"
)

// DynamoGraphDeployment describes one LLM inference graph: a set of services (frontend, workers, planner, ...) that
// are deployed, discovered and scaled together.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=dynamographdeployments,shortName=dgd,scope=Namespaced
type DynamoGraphDeployment struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is the desired graph.
	Spec DynamoGraphDeploymentSpec `json:"spec,omitempty"`

	// Status is the observed graph.
	Status DynamoGraphDeploymentStatus `json:"status,omitempty"`
}

// BackendFramework names the engine family that a worker runs.
//
// +kubebuilder:validation:Enum=sglang;vllm;trtllm
type BackendFramework string

// The engine families.
const (
	BackendSGLang BackendFramework = "sglang"
	BackendVLLM   BackendFramework = "vllm"
	BackendTRTLLM BackendFramework = "trtllm"
)

// DynamoGraphDeploymentSpec is the desired graph.
type DynamoGraphDeploymentSpec struct {
	// Annotations copied to every workload of the graph. A service's own annotation of the same key wins.
	Annotations map[string]string `json:"annotations,omitempty"`

	// Labels copied to every workload of the graph. A service's own label of the same key wins.
	Labels map[string]string `json:"labels,omitempty"`

	// PVCs that the graph knows by name; services mount them through volumeMounts.
	//
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=100
	PVCs []PVC `json:"pvcs,omitempty"`

	// Services of the graph by name: at least one, at most 25. The set of names cannot change after creation.
	//
	// +kubebuilder:validation:MaxProperties=25
	Services map[string]Service `json:"services,omitempty"`

	// Envs are environment variables of every service. A service's own variable of the same name wins.
	Envs []corev1.EnvVar `json:"envs,omitempty"`

	// BackendFramework of the workers: sglang, vllm or trtllm. Absent: detected from each worker's command. Immutable.
	BackendFramework BackendFramework `json:"backendFramework,omitempty"`

	// Restart asks for a rolling restart of the graph's services.
	Restart *Restart `json:"restart,omitempty"`

	// TopologyConstraint places the pods of each service within one topology domain. Immutable.
	TopologyConstraint *SpecTopologyConstraint `json:"topologyConstraint,omitempty"`

	// PriorityClassName is the name of the PriorityClass of the graph's pods on the Grove path. Absent: the cluster's
	// default.
	PriorityClassName string `json:"priorityClassName,omitempty"`

	// ProviderOverride would be merged over the object that the orchestrator's provider makes. Refused: set policy in
	// the Composition instead.
	ProviderOverride *ProviderOverride `json:"providerOverride,omitempty"`

	// Experimental holds settings that upstream is incubating.
	Experimental *Experimental `json:"experimental,omitempty"`
}

// PVC is a PersistentVolumeClaim that services may mount.
type PVC struct {
	// Create the claim with the graph: size, storageClass and volumeAccessMode are then required. False or absent: a claim
	// of that name must exist. A claim that was there before the graph is used as it is, never changed.
	Create *bool `json:"create,omitempty"`

	// Name of the claim, and the name that volumeMounts refer to.
	//
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// StorageClass is the name of the StorageClass of a created claim.
	StorageClass string `json:"storageClass,omitempty"`

	// Size of a created claim, in bytes: a quantity such as 100Gi.
	Size resource.Quantity `json:"size,omitempty"`

	// VolumeAccessMode of a created claim: ReadWriteOnce, ReadOnlyMany, ReadWriteMany or ReadWriteOncePod.
	VolumeAccessMode corev1.PersistentVolumeAccessMode `json:"volumeAccessMode,omitempty"`
}

// RestartStrategyType is how the services of a graph are restarted.
//
// +kubebuilder:validation:Enum=Sequential;Parallel
type RestartStrategyType string

// The restart strategies.
const (
	RestartSequential RestartStrategyType = "Sequential"
	RestartParallel   RestartStrategyType = "Parallel"
)

// Restart asks for a rolling restart.
type Restart struct {
	// ID is an opaque token; a new value starts a restart.
	//
	// +kubebuilder:validation:MinLength=1
	ID string `json:"id"`

	// Strategy of the restart. Absent: Sequential, in alphabetical order.
	Strategy *RestartStrategy `json:"strategy,omitempty"`
}

// RestartStrategy says in which order services restart.
type RestartStrategy struct {
	// Type is Sequential (one service after another, the default) or Parallel (all at once).
	//
	// +kubebuilder:default=Sequential
	Type RestartStrategyType `json:"type,omitempty"`

	// Order of the services in a Sequential restart: every service once. Empty: alphabetical.
	//
	// +kubebuilder:validation:MaxItems=25
	// +kubebuilder:validation:items:MaxLength=63
	Order []string `json:"order,omitempty"`
}

// SpecTopologyConstraint is the deployment-level placement.
type SpecTopologyConstraint struct {
	// TopologyProfile is the name of the topology object (ClusterTopologyBinding, or ClusterTopology before Grove
	// v0.1.0-alpha.9) whose levels the packDomains of this graph name.
	//
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	TopologyProfile string `json:"topologyProfile"`

	// PackDomain is the level within one domain of which each service is packed. Absent: only services with their own
	// constraint are placed.
	//
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`
	PackDomain string `json:"packDomain,omitempty"`
}

// ProviderOverride is a late override of an object that the orchestrator's provider makes.
type ProviderOverride struct {
	// APIVersion of the object.
	//
	// +kubebuilder:validation:MinLength=1
	APIVersion string `json:"apiVersion"`

	// Target is the kind of the object.
	Target string `json:"target,omitempty"`

	// Value is the partial object that is merged over it.
	//
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Value runtime.RawExtension `json:"value"`
}

// Experimental holds settings that upstream is incubating.
type Experimental struct {
	// KVTransferPolicy ties the choice of a decode worker to the topology domain of the chosen prefill worker.
	KVTransferPolicy *KVTransferPolicy `json:"kvTransferPolicy,omitempty"`
}

// KVTransferEnforcement is how strictly a KVTransferPolicy is obeyed.
//
// +kubebuilder:validation:Enum=required;preferred
type KVTransferEnforcement string

// KVTransferPolicy ties the choice of a decode worker to the topology domain of the chosen prefill worker.
type KVTransferPolicy struct {
	// LabelKey is the node label whose value is the domain. Exactly one of labelKey and clusterTopologyName is given.
	//
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=317
	// +kubebuilder:validation:Pattern=`^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*/)?[A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?$`
	LabelKey string `json:"labelKey,omitempty"`

	// ClusterTopologyName is the topology object from which the label of the domain is taken.
	//
	// +kubebuilder:validation:MinLength=1
	ClusterTopologyName string `json:"clusterTopologyName,omitempty"`

	// Domain is the level that is compared between workers.
	//
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`
	Domain string `json:"domain"`

	// Enforcement is required (the same domain only, the default) or preferred (the same domain where possible).
	//
	// +kubebuilder:default=required
	Enforcement KVTransferEnforcement `json:"enforcement,omitempty"`

	// PreferredWeight is the strength of a preference, from 0 to 1. Given with enforcement preferred, and only then.
	//
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1
	PreferredWeight *float64 `json:"preferredWeight,omitempty"`
}
