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
	// CompositeKind is the cluster-scoped composite resource of a claim.
	CompositeKind = "XDynamoGraphDeployment"
)

// DynamoGraphDeployment describes an LLM inference graph: a set of services (frontend, workers, planner, ...) that
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

// BackendFramework is the inference engine that workers run.
//
// +kubebuilder:validation:Enum=sglang;vllm;trtllm
type BackendFramework string

// The engines.
const (
	BackendSGLang BackendFramework = "sglang"
	BackendVLLM   BackendFramework = "vllm"
	BackendTRTLLM BackendFramework = "trtllm"
)

// DynamoGraphDeploymentSpec is the desired graph.
type DynamoGraphDeploymentSpec struct {
	// Annotations to copy to every workload of the graph. An annotation of a service with the same key takes precedence.
	Annotations map[string]string `json:"annotations,omitempty"`

	// Labels to copy to every workload of the graph. A label of a service with the same key takes precedence.
	Labels map[string]string `json:"labels,omitempty"`

	// PVCs that services can mount through volumeMounts. Not allowed together with components.
	//
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=100
	PVCs []PVC `json:"pvcs,omitempty"`

	// Services of the graph by name, from 1 to 25, in the form of v1alpha1. Exactly one of components and services is required.
	// Services cannot be added or removed after creation.
	//
	// +kubebuilder:validation:MaxProperties=25
	Services map[string]Service `json:"services,omitempty"`

	// Envs are environment variables of every service. A variable of a service with the same name takes precedence. Not allowed
	// together with components, which use env.
	Envs []corev1.EnvVar `json:"envs,omitempty"`

	// BackendFramework of the workers: sglang, vllm or trtllm. By default, the command of each worker
	// decides. Immutable.
	BackendFramework BackendFramework `json:"backendFramework,omitempty"`

	// Restart requests a rolling restart of the services of the graph.
	Restart *Restart `json:"restart,omitempty"`

	// TopologyConstraint places the pods of each service within one topology domain. Immutable.
	TopologyConstraint *SpecTopologyConstraint `json:"topologyConstraint,omitempty"`

	// PriorityClassName is the name of the PriorityClass of the pods on Grove. Defaults to the default PriorityClass of the
	// cluster.
	PriorityClassName string `json:"priorityClassName,omitempty"`

	// ProviderOverride replaces the topology constraint of the PodCliqueSet on Grove.
	ProviderOverride *ProviderOverride `json:"providerOverride,omitempty"`

	// Experimental holds settings that are experimental upstream.
	Experimental *Experimental `json:"experimental,omitempty"`
}

// PVC is a PersistentVolumeClaim that services may mount.
type PVC struct {
	// Create the claim together with the graph. Size, storageClass and volumeAccessMode are then required. If false, the
	// default, a claim of this name must exist. A claim that existed before the graph is used as it is and never changed.
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

// RestartStrategyType is how the components of a graph are restarted.
//
// +kubebuilder:validation:Enum=Sequential;Parallel
type RestartStrategyType string

// The restart strategies.
const (
	RestartSequential RestartStrategyType = "Sequential"
	RestartParallel   RestartStrategyType = "Parallel"
)

// Restart requests a rolling restart.
type Restart struct {
	// ID is an opaque token. A new value starts a restart.
	//
	// +kubebuilder:validation:MinLength=1
	ID string `json:"id"`

	// Strategy of the restart. Defaults to Sequential in alphabetical order.
	Strategy *RestartStrategy `json:"strategy,omitempty"`
}

// RestartStrategy is the order in which components restart.
type RestartStrategy struct {
	// Type is Sequential (one component after another, the default) or Parallel (all at once).
	//
	// +kubebuilder:default=Sequential
	Type RestartStrategyType `json:"type,omitempty"`

	// Order of the components (in the form of v1alpha1: services) in a Sequential restart. Must name each of them exactly once.
	// Defaults to alphabetical order.
	//
	// +kubebuilder:validation:MaxItems=25
	// +kubebuilder:validation:items:MaxLength=63
	Order []string `json:"order,omitempty"`
}

// SpecTopologyConstraint is the placement of the graph.
type SpecTopologyConstraint struct {
	// TopologyProfile is the name of the topology object (ClusterTopologyBinding, or ClusterTopology before Grove
	// v0.1.0-alpha.9) whose levels the packDomains of this graph name. Required with services, and not allowed with components,
	// which use clusterTopologyName.
	//
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	TopologyProfile string `json:"topologyProfile"`

	// PackDomain is the topology level at which each service is packed into one domain. If not set, only services with
	// a topologyConstraint of their own are packed.
	//
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`
	PackDomain string `json:"packDomain,omitempty"`
}

// ProviderOverride sets fields of a generated object in the form of the orchestrator: its topology constraint, and how it scales and is updated.
type ProviderOverride struct {
	// APIVersion of the object: grove.io/v1alpha1.
	//
	// +kubebuilder:validation:MinLength=1
	APIVersion string `json:"apiVersion"`

	// Target is the type of the object: PodCliqueSet, PodCliqueTemplateSpec or PodCliqueScalingGroupConfig. It follows from the place.
	Target string `json:"target,omitempty"`

	// Value is the part of the object with the fields: topologyConstraint, and for a component minAvailable and rollingUpdate.
	//
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Value runtime.RawExtension `json:"value"`
}

// Experimental holds settings that are experimental upstream.
type Experimental struct {
	// KVTransferPolicy restricts the choice of a decode worker by the topology domain of the chosen prefill worker.
	KVTransferPolicy *KVTransferPolicy `json:"kvTransferPolicy,omitempty"`
}

// KVTransferEnforcement is how strictly a KVTransferPolicy is enforced.
//
// +kubebuilder:validation:Enum=required;preferred
type KVTransferEnforcement string

// The enforcements.
const (
	KVTransferRequired  KVTransferEnforcement = "required"
	KVTransferPreferred KVTransferEnforcement = "preferred"
)

// KVTransferPolicy restricts the choice of a decode worker by the topology domain of the chosen prefill worker.
type KVTransferPolicy struct {
	// LabelKey is the node label whose value is the domain. Exactly one of labelKey and clusterTopologyName is required.
	//
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=317
	// +kubebuilder:validation:Pattern=`^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*/)?[A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?$`
	LabelKey string `json:"labelKey,omitempty"`

	// ClusterTopologyName is the topology object that defines the label of the domain.
	//
	// +kubebuilder:validation:MinLength=1
	ClusterTopologyName string `json:"clusterTopologyName,omitempty"`

	// Domain is the topology level that is compared between workers.
	//
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`
	Domain string `json:"domain"`

	// Enforcement is required (the same domain only, the default) or preferred (the same domain where possible).
	//
	// +kubebuilder:default=required
	Enforcement KVTransferEnforcement `json:"enforcement,omitempty"`

	// PreferredWeight is the strength of the preference, from 0 to 1. Required when enforcement is preferred, and not allowed
	// otherwise.
	//
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1
	PreferredWeight *float64 `json:"preferredWeight,omitempty"`
}
