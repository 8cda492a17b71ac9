package v1beta1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
)

// Group, version and kind of the published API.
const (
	Group   = v1alpha1.Group
	Version = "v1beta1"
	// Kind of the namespaced composite resource, and of the claim in the claims flavour.
	Kind = v1alpha1.Kind
)

// DynamoGraphDeployment describes an LLM inference graph: a set of components (frontend, workers, planner, ...) that are
// deployed, discovered and scaled together.
//
// +kubebuilder:object:root=true
// +kubebuilder:storageversion
// +kubebuilder:resource:path=dynamographdeployments,shortName=dgd,scope=Namespaced
type DynamoGraphDeployment struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is the desired graph.
	Spec DynamoGraphDeploymentSpec `json:"spec,omitempty"`

	// Status is the observed graph.
	Status DynamoGraphDeploymentStatus `json:"status,omitempty"`
}

// DynamoGraphDeploymentSpec is the desired graph.
type DynamoGraphDeploymentSpec struct {
	// Annotations to copy to every workload of the graph and its pods. An annotation of a podTemplate with the same key takes
	// precedence.
	Annotations map[string]string `json:"annotations,omitempty"`

	// Labels to copy to every workload of the graph and its pods. A label of a podTemplate with the same key takes precedence.
	Labels map[string]string `json:"labels,omitempty"`

	// Components of the graph, from 1 to 25. Exactly one of components and services is required. Components cannot be added or removed after creation.
	//
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=25
	Components []Component `json:"components,omitempty"`

	// Env are environment variables of the main container of every component. A variable of the container with the same name
	// takes precedence. Not allowed together with services, which use envs.
	Env []corev1.EnvVar `json:"env,omitempty"`

	// BackendFramework of the workers: sglang, vllm or trtllm. By default, the command of each worker
	// decides. Immutable.
	BackendFramework v1alpha1.BackendFramework `json:"backendFramework,omitempty"`

	// Restart requests a rolling restart of the components of the graph.
	Restart *v1alpha1.Restart `json:"restart,omitempty"`

	// TopologyConstraint places the pods of each component within one topology domain. Immutable.
	TopologyConstraint *SpecTopologyConstraint `json:"topologyConstraint,omitempty"`

	// PriorityClassName is the name of the PriorityClass of the pods on Grove. Defaults to the default PriorityClass of the
	// cluster.
	PriorityClassName string `json:"priorityClassName,omitempty"`

	// ProviderOverride replaces the topology constraint of the PodCliqueSet on Grove.
	ProviderOverride *v1alpha1.ProviderOverride `json:"providerOverride,omitempty"`

	// Experimental holds settings that are experimental upstream.
	Experimental *v1alpha1.Experimental `json:"experimental,omitempty"`
}

// SpecTopologyConstraint is the placement of the graph.
type SpecTopologyConstraint struct {
	// ClusterTopologyName is the name of the topology object (ClusterTopologyBinding, or ClusterTopology before Grove
	// v0.1.0-alpha.9) whose levels the packDomains of this graph name. Required with components, and not allowed with services,
	// which use topologyProfile.
	//
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	ClusterTopologyName string `json:"clusterTopologyName"`

	// PackDomain is the topology level at which each component is packed into one domain. If not set, only components with
	// a topologyConstraint of their own are packed.
	//
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`
	PackDomain string `json:"packDomain,omitempty"`
}
