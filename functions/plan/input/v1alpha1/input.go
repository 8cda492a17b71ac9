// Package v1alpha1 is the input of step plan: the policy of the platform, which is set in the Composition and in an EnvironmentConfig.
//
// +kubebuilder:object:generate=true
// +groupName=plan.dynamo.nvidia.com
// +versionName=v1alpha1
package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Group, version and kind of the input.
const (
	APIVersion = "plan.dynamo.nvidia.com/v1alpha1"
	Kind       = "Input"
)

// Input of step plan. All fields are optional. The defaults are for a cluster with Grove and KAI.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:categories=crossplane,scope=Cluster
// +kubebuilder:storageversion
type Input struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Policy `json:",inline"`

	// EnvironmentConfig is the object whose data takes precedence over this input.
	EnvironmentConfig EnvironmentConfig `json:"environmentConfig,omitempty"`

	// Namespaces hold the policy of some namespaces. All entries that select the namespace of a graph take precedence over the other
	// fields, and later entries over earlier entries.
	//
	// +kubebuilder:validation:MaxItems=1000
	Namespaces []NamespacePolicy `json:"namespaces,omitempty"`
}

// Policy of the platform. All fields are optional.
type Policy struct {
	// Grove holds detection and settings of Grove.
	Grove Grove `json:"grove,omitempty"`

	// KAI holds detection and settings of the KAI scheduler.
	KAI KAI `json:"kai,omitempty"`

	// LWS holds detection and settings of LeaderWorkerSet.
	LWS LWS `json:"lws,omitempty"`

	// Volcano holds detection and settings of the Volcano scheduler.
	Volcano Volcano `json:"volcano,omitempty"`

	// Kueue holds detection and settings of Kueue.
	Kueue Kueue `json:"kueue,omitempty"`

	// Topology holds the policy for topology constraints.
	Topology Topology `json:"topology,omitempty"`

	// MNNVL holds the policy for multi-node NVLink.
	MNNVL MNNVL `json:"mnnvl,omitempty"`

	// ScalingAdapter holds the detection of DynamoGraphDeploymentScalingAdapter.
	ScalingAdapter ScalingAdapter `json:"scalingAdapter,omitempty"`

	// Checkpoints holds the detection of the snapshot operator, and how pods are restored from checkpoints.
	Checkpoints Checkpoints `json:"checkpoints,omitempty"`

	// Infrastructure holds addresses of servers and paths of certificates that are passed to every pod in environment variables.
	Infrastructure Infrastructure `json:"infrastructure,omitempty"`

	// Discovery configures how the components of a graph discover each other.
	Discovery Discovery `json:"discovery,omitempty"`

	// Ingress holds defaults for exposing frontends.
	Ingress Ingress `json:"ingress,omitempty"`

	// Istio holds the detection of Istio, for VirtualServices and DestinationRules.
	Istio Istio `json:"istio,omitempty"`

	// GatewayAPI holds the detection of the Gateway API, for HTTPRoutes.
	GatewayAPI GatewayAPI `json:"gatewayAPI,omitempty"`

	// InferenceExtension holds the detection of the Gateway API Inference Extension, for InferencePools.
	InferenceExtension InferenceExtension `json:"inferenceExtension,omitempty"`

	// ImagePullSecrets are added to pods with an image from their registry. Changes do not affect running pods.
	//
	// +kubebuilder:validation:MaxItems=100
	ImagePullSecrets []RegistrySecret `json:"imagePullSecrets,omitempty"`

	// Deployments holds the policy for Deployments.
	Deployments Deployments `json:"deployments,omitempty"`

	// Workers holds the policy for the rollouts of workers.
	Workers Workers `json:"workers,omitempty"`

	// VLLM holds the policy for vLLM workers.
	VLLM VLLM `json:"vllm,omitempty"`

	// Runtime holds the policy for the release of Dynamo that images have.
	Runtime Runtime `json:"runtime,omitempty"`

	// GuardRails limit what graphs may request. A running graph that exceeds a limit gets a warning. An edit of it that exceeds the limit
	// further is refused.
	GuardRails GuardRails `json:"guardRails,omitempty"`

	// DefaultResources of main containers for which the user requests no resources. Changes do not affect running pods.
	DefaultResources DefaultResources `json:"defaultResources,omitempty"`

	// PodSecurityContext of pods for which the user sets no security context. Changes do not affect running pods.
	PodSecurityContext PodSecurityContext `json:"podSecurityContext,omitempty"`
}

// Mode is whether something that is installed in the cluster is used.
//
// +kubebuilder:validation:Enum=Auto;Enabled;Disabled
type Mode string

// The modes.
const (
	// ModeAuto detects it by its API group.
	ModeAuto Mode = "Auto"
	// ModeEnabled assumes that it is installed, without detection.
	ModeEnabled Mode = "Enabled"
	// ModeDisabled assumes that it is not installed, without detection. A graph that already uses it continues to do so.
	ModeDisabled Mode = "Disabled"
)
