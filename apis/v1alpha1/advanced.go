package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// EPPConfig is the configuration of the Endpoint Picker. Exactly one of configMapRef and config is required.
type EPPConfig struct {
	// ConfigMapRef is the key of a ConfigMap that holds the configuration.
	ConfigMapRef *corev1.ConfigMapKeySelector `json:"configMapRef,omitempty"`

	// Config is the configuration itself.
	//
	// +kubebuilder:pruning:PreserveUnknownFields
	Config *EndpointPickerConfig `json:"config,omitempty"`
}

// EndpointPickerConfig is the configuration of the Endpoint Picker of the Gateway API Inference Extension.
type EndpointPickerConfig struct {
	// APIVersion of the configuration. Set automatically if empty.
	APIVersion string `json:"apiVersion,omitempty"`

	// Kind of the configuration. Defaults to EndpointPickerConfig.
	Kind string `json:"kind,omitempty"`

	// FeatureGates to enable.
	FeatureGates []string `json:"featureGates,omitempty"`

	// Plugins that the profiles refer to.
	Plugins []EndpointPickerPlugin `json:"plugins"`

	// SchedulingProfiles of the picker.
	SchedulingProfiles []EndpointPickerProfile `json:"schedulingProfiles"`

	// SaturationDetector thresholds.
	SaturationDetector *SaturationDetector `json:"saturationDetector,omitempty"`
}

// EndpointPickerPlugin is one plugin of the Endpoint Picker.
type EndpointPickerPlugin struct {
	// Name that profiles use to refer to the plugin. Defaults to its type.
	Name string `json:"name,omitempty"`

	// Type of the plugin.
	Type string `json:"type"`

	// Parameters of the plugin.
	//
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:Schemaless
	Parameters *runtime.RawExtension `json:"parameters,omitempty"`
}

// EndpointPickerProfile is one scheduling profile of the Endpoint Picker.
type EndpointPickerProfile struct {
	// Name of the profile.
	Name string `json:"name"`

	// Plugins of the profile.
	Plugins []EndpointPickerProfilePlugin `json:"plugins"`
}

// EndpointPickerProfilePlugin is a reference to a plugin in a profile.
type EndpointPickerProfilePlugin struct {
	// PluginRef is the name of the plugin.
	PluginRef string `json:"pluginRef"`

	// Weight of a scorer.
	Weight *int32 `json:"weight,omitempty"`
}

// SaturationDetector holds the thresholds above which an endpoint is considered saturated.
type SaturationDetector struct {
	// QueueDepthThreshold is the number of waiting requests.
	QueueDepthThreshold *int32 `json:"queueDepthThreshold,omitempty"`

	// KVCacheUtilThreshold is the utilization of the KV cache, from 0 to 1.
	KVCacheUtilThreshold *float64 `json:"kvCacheUtilThreshold,omitempty"`

	// MetricsStalenessThreshold is the maximum age of metrics, as a duration such as 200ms.
	MetricsStalenessThreshold string `json:"metricsStalenessThreshold,omitempty"`
}

// ShareMode is where the processes that share GPUs run.
//
// +kubebuilder:validation:Enum=intraPod;interPod
type ShareMode string

// The share modes.
const (
	ShareIntraPod ShareMode = "intraPod"
	ShareInterPod ShareMode = "interPod"
)

// GPUMemoryService shares GPU memory between the containers of a pod, or between pods on a node. Its GPUs are claimed through dynamic resource
// allocation (resource.k8s.io/v1, Kubernetes 1.34 or later) instead of the GPUs of resources.
type GPUMemoryService struct {
	// Enabled turns the service on.
	Enabled bool `json:"enabled"`

	// Mode is intraPod (a container of the pod) or interPod (a separate pod, on Grove only).
	//
	// +kubebuilder:default=intraPod
	Mode ShareMode `json:"mode,omitempty"`

	// DeviceClassName is the DeviceClass of the GPUs.
	//
	// +kubebuilder:default=gpu.nvidia.com
	DeviceClassName string `json:"deviceClassName,omitempty"`

	// ExtraClientContainers are additional containers of the pod that use the service.
	//
	// +listType=set
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=63
	// +kubebuilder:validation:items:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	ExtraClientContainers []string `json:"extraClientContainers,omitempty"`

	// ExtraClientPods is reserved upstream. Must be empty.
	//
	// +listType=map
	// +listMapKey=name
	ExtraClientPods []GPUMemoryClientPod `json:"extraClientPods,omitempty"`
}

// GPUMemoryClientPod is reserved upstream.
type GPUMemoryClientPod struct {
	// Name of the pod.
	//
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Name string `json:"name"`

	// PodTemplate of the pod.
	//
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	PodTemplate runtime.RawExtension `json:"podTemplate"`
}

// Failover keeps standby engines.
type Failover struct {
	// Enabled turns failover on.
	Enabled bool `json:"enabled"`

	// Mode must be equal to gpuMemoryService.mode.
	//
	// +kubebuilder:default=intraPod
	Mode ShareMode `json:"mode,omitempty"`

	// NumShadows is the number of standby engines per rank.
	//
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	NumShadows int32 `json:"numShadows,omitempty"`
}

// CheckpointMode is who creates the checkpoint.
//
// +kubebuilder:validation:Enum=Auto;Manual
type CheckpointMode string

// CheckpointManual is that the user creates the checkpoint.
const CheckpointManual CheckpointMode = "Manual"

// CheckpointDeletionPolicy is what happens to created checkpoints when the graph is deleted.
//
// +kubebuilder:validation:Enum=Delete;Retain
type CheckpointDeletionPolicy string

// The deletion policies.
const (
	CheckpointDelete CheckpointDeletionPolicy = "Delete"
	CheckpointRetain CheckpointDeletionPolicy = "Retain"
)

// CheckpointStartupPolicy is whether replicas wait for the checkpoint.
//
// +kubebuilder:validation:Enum=Immediate;WaitForCheckpoint
type CheckpointStartupPolicy string

// The startup policies.
const (
	CheckpointImmediate CheckpointStartupPolicy = "Immediate"
	CheckpointWait      CheckpointStartupPolicy = "WaitForCheckpoint"
)

// Checkpoint restores workers from a checkpoint of a warm process.
type Checkpoint struct {
	// Enabled turns checkpointing on.
	//
	// +kubebuilder:default=false
	Enabled bool `json:"enabled,omitempty"`

	// Mode is deprecated: Auto (created for the graph) or Manual.
	Mode CheckpointMode `json:"mode,omitempty"`

	// CheckpointRef is the name of an existing checkpoint, which is the name of its PodSnapshot.
	CheckpointRef *string `json:"checkpointRef,omitempty"`

	// Identity is deprecated: the properties by which an equal checkpoint is found. Ignored with checkpointRef.
	Identity *CheckpointIdentity `json:"identity,omitempty"`

	// DeletionPolicy of created checkpoints: Delete or Retain.
	//
	// +kubebuilder:default=Delete
	DeletionPolicy CheckpointDeletionPolicy `json:"deletionPolicy,omitempty"`

	// StartupPolicy is Immediate (start cold if the checkpoint is not ready) or WaitForCheckpoint.
	//
	// +kubebuilder:default=Immediate
	StartupPolicy CheckpointStartupPolicy `json:"startupPolicy,omitempty"`

	// TargetContainerName is the name of the container to checkpoint.
	//
	// +kubebuilder:default=main
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	TargetContainerName string `json:"targetContainerName,omitempty"`

	// Job holds settings of the Job that creates the checkpoint. Not allowed together with checkpointRef.
	Job *CheckpointJob `json:"job,omitempty"`
}

// CheckpointIdentity are the properties by which an equal checkpoint is found.
type CheckpointIdentity struct {
	// Model is the ID of the model.
	Model string `json:"model"`

	// BackendFramework is the engine.
	BackendFramework BackendFramework `json:"backendFramework"`

	// DynamoVersion of the runtime.
	DynamoVersion string `json:"dynamoVersion,omitempty"`

	// TensorParallelSize of the engine.
	//
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	TensorParallelSize int32 `json:"tensorParallelSize,omitempty"`

	// PipelineParallelSize of the engine.
	//
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	PipelineParallelSize int32 `json:"pipelineParallelSize,omitempty"`

	// Dtype of the weights.
	Dtype string `json:"dtype,omitempty"`

	// MaxModelLen is the context length in tokens.
	//
	// +kubebuilder:validation:Minimum=1
	MaxModelLen int32 `json:"maxModelLen,omitempty"`

	// ExtraParameters are additional properties.
	ExtraParameters map[string]string `json:"extraParameters,omitempty"`
}

// CheckpointJob holds settings of the Job that creates a checkpoint.
type CheckpointJob struct {
	// GMSClientContainers are containers of the Job that use the GPU memory service.
	//
	// +listType=set
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=63
	// +kubebuilder:validation:items:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	GMSClientContainers []string `json:"gmsClientContainers,omitempty"`

	// PodTemplate is merged over the pod template of the Job.
	//
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	PodTemplate *runtime.RawExtension `json:"podTemplate,omitempty"`
}
