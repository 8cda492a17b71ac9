package v1beta1

import "github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"

// ComponentExperimental holds settings of a component that are experimental upstream.
type ComponentExperimental struct {
	// GPUMemoryService shares GPU memory between the processes of a pod. Set it to {} to turn the service on.
	GPUMemoryService *GPUMemoryService `json:"gpuMemoryService,omitempty"`

	// Failover keeps standby engines that share the GPUs through the GPU memory service. Set it to {} to turn failover on.
	Failover *Failover `json:"failover,omitempty"`

	// Grove holds settings that only have an effect on Grove.
	Grove *GroveSettings `json:"grove,omitempty"`

	// Checkpoint restores the workers from a checkpoint of a warm process.
	Checkpoint *v1alpha1.Checkpoint `json:"checkpoint,omitempty"`
}

// GroveSettings are settings of a component that only have an effect on Grove.
type GroveSettings struct {
	// ForceScalingGroup runs a component of one node as a PodCliqueScalingGroup. Immutable.
	ForceScalingGroup bool `json:"forceScalingGroup,omitempty"`
}

// ShareMode is where the processes that share GPUs run.
//
// +kubebuilder:validation:Enum=IntraPod;InterPod
type ShareMode string

// The share modes.
const (
	ShareIntraPod ShareMode = "IntraPod"
	ShareInterPod ShareMode = "InterPod"
)

// GPUMemoryService shares GPU memory between the containers of a pod, or between pods on a node. Its GPUs are claimed through dynamic resource
// allocation (resource.k8s.io/v1, Kubernetes 1.34 or later) instead of the GPUs of resources.
type GPUMemoryService struct {
	// Mode is IntraPod (a container of the pod) or InterPod (a separate pod, on Grove only).
	//
	// +kubebuilder:default=IntraPod
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
	ExtraClientPods []v1alpha1.GPUMemoryClientPod `json:"extraClientPods,omitempty"`
}

// Failover keeps standby engines.
type Failover struct {
	// Mode must be equal to gpuMemoryService.mode.
	//
	// +kubebuilder:default=IntraPod
	Mode ShareMode `json:"mode,omitempty"`

	// NumShadows is the number of standby engines per rank. Must be 1.
	//
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1
	NumShadows int32 `json:"numShadows,omitempty"`
}
