package v1alpha1

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// The component types that have defaults of their own. Any other value is taken as given, without defaults.
const (
	ComponentFrontend = "frontend"
	ComponentWorker   = "worker"
	ComponentPrefill  = "prefill"
	ComponentDecode   = "decode"
	ComponentPlanner  = "planner"
	ComponentEPP      = "epp"
)

// Values of subComponentType that the planner knows.
const (
	SubComponentPrefill = "prefill"
	SubComponentDecode  = "decode"
)

// Service is one service of the graph: its pods, how many, and how they are reached.
type Service struct {
	// Annotations of this service's workload.
	Annotations map[string]string `json:"annotations,omitempty"`

	// Labels of this service's workload.
	Labels map[string]string `json:"labels,omitempty"`

	// ServiceName is filled by the Dynamo operator from the key in services; here it must equal that key when set.
	ServiceName string `json:"serviceName,omitempty"`

	// ComponentType is the role of the service: frontend, worker, prefill, decode, planner or epp. Any other value, or
	// none, gets no defaults.
	//
	// +kubebuilder:validation:MaxLength=63
	ComponentType string `json:"componentType,omitempty"`

	// SubComponentType is a finer role that the planner reads: prefill or decode.
	SubComponentType string `json:"subComponentType,omitempty"`

	// DynamoNamespace is deprecated and has no effect: the Dynamo namespace is <namespace>-<name> of the graph.
	DynamoNamespace *string `json:"dynamoNamespace,omitempty"`

	// GlobalDynamoNamespace puts the service into the shared Dynamo namespace "dynamo".
	GlobalDynamoNamespace bool `json:"globalDynamoNamespace,omitempty"`

	// Resources is the short form of the main container's resources.
	Resources *Resources `json:"resources,omitempty"`

	// Autoscaling of the service's replicas.
	Autoscaling *Autoscaling `json:"autoscaling,omitempty"`

	// Envs are environment variables of the main container.
	Envs []corev1.EnvVar `json:"envs,omitempty"`

	// EnvFromSecret is the name of a Secret whose keys become environment variables of the main container.
	EnvFromSecret *string `json:"envFromSecret,omitempty"`

	// VolumeMounts of PersistentVolumeClaims by name.
	//
	// +kubebuilder:validation:MaxItems=100
	VolumeMounts []VolumeMount `json:"volumeMounts,omitempty"`

	// Ingress exposes the service outside the cluster.
	Ingress *Ingress `json:"ingress,omitempty"`

	// ModelRef names the model that the service serves; it makes a headless Service over all pods of that model.
	ModelRef *ModelReference `json:"modelRef,omitempty"`

	// SharedMemory is the tmpfs at /dev/shm. Absent: 8Gi.
	SharedMemory *SharedMemory `json:"sharedMemory,omitempty"`

	// ExtraPodMetadata are further labels and annotations of the pods.
	ExtraPodMetadata *ExtraPodMetadata `json:"extraPodMetadata,omitempty"`

	// ExtraPodSpec is merged over the generated pod.
	ExtraPodSpec *ExtraPodSpec `json:"extraPodSpec,omitempty"`

	// LivenessProbe replaces the generated liveness probe of the main container.
	LivenessProbe *corev1.Probe `json:"livenessProbe,omitempty"`

	// ReadinessProbe replaces the generated readiness probe of the main container.
	ReadinessProbe *corev1.Probe `json:"readinessProbe,omitempty"`

	// Replicas of the service; for a multinode service, the number of groups of nodes. Absent: 1.
	//
	// +kubebuilder:validation:Minimum=0
	Replicas *int32 `json:"replicas,omitempty"`

	// MinAvailable is how many replicas the gang scheduler must place together on the Grove path. Absent: 1. Immutable.
	//
	// +kubebuilder:validation:Minimum=1
	MinAvailable *int32 `json:"minAvailable,omitempty"`

	// Multinode makes one replica span several nodes.
	Multinode *Multinode `json:"multinode,omitempty"`

	// ScalingAdapter lets a DynamoGraphDeploymentScalingAdapter own the replicas.
	ScalingAdapter *ScalingAdapter `json:"scalingAdapter,omitempty"`

	// EPPConfig configures the Endpoint Picker; only with componentType epp.
	EPPConfig *EPPConfig `json:"eppConfig,omitempty"`

	// FrontendSidecar adds a frontend container beside the main container.
	FrontendSidecar *FrontendSidecar `json:"frontendSidecar,omitempty"`

	// Checkpoint restores the workers from a checkpoint of a warm process.
	Checkpoint *Checkpoint `json:"checkpoint,omitempty"`

	// TopologyConstraint of this service: equal to or narrower than the graph's. Immutable.
	TopologyConstraint *TopologyConstraint `json:"topologyConstraint,omitempty"`

	// GPUMemoryService shares the GPUs' memory between processes of a pod.
	GPUMemoryService *GPUMemoryService `json:"gpuMemoryService,omitempty"`

	// Failover keeps standby engines that share the GPUs through the GPU memory service.
	Failover *Failover `json:"failover,omitempty"`

	// ProviderOverride would be merged over the object that the orchestrator's provider makes for this service.
	ProviderOverride *ProviderOverride `json:"providerOverride,omitempty"`

	// RuntimeVersionOverride is the version of the Dynamo runtime, when the image tag does not tell it.
	//
	// +kubebuilder:validation:Pattern=`^(0|[1-9][0-9]{0,3})\.(0|[1-9][0-9]{0,3})\.(0|[1-9][0-9]{0,3})$`
	RuntimeVersionOverride string `json:"runtimeVersionOverride,omitempty"`
}

// Resources are the resources of the main container in short form.
type Resources struct {
	// Requests of the main container.
	Requests *ResourceList `json:"requests,omitempty"`

	// Limits of the main container.
	Limits *ResourceList `json:"limits,omitempty"`

	// Claims of dynamic resource allocation that the main container uses, each by the name of an entry of
	// extraPodSpec.resourceClaims.
	Claims []corev1.ResourceClaim `json:"claims,omitempty"`
}

// ResourceList is one block of amounts.
type ResourceList struct {
	// CPU in cores, a quantity such as 4 or 500m.
	CPU *resource.Quantity `json:"cpu,omitempty"`

	// Memory in bytes, a quantity such as 64Gi.
	Memory *resource.Quantity `json:"memory,omitempty"`

	// GPU is the number of devices of gpuType per pod, so per node of a multinode service.
	GPU *resource.Quantity `json:"gpu,omitempty"`

	// GPUType is the resource name of the device. Absent: nvidia.com/gpu.
	GPUType string `json:"gpuType,omitempty"`

	// Custom resources by name, such as rdma/ib or ephemeral-storage, each a quantity.
	Custom map[string]resource.Quantity `json:"custom,omitempty"`
}

// Autoscaling of a service's replicas.
type Autoscaling struct {
	// Enabled turns autoscaling on. Default false.
	Enabled bool `json:"enabled,omitempty"`

	// MinReplicas that the autoscaler keeps.
	MinReplicas int `json:"minReplicas,omitempty"`

	// MaxReplicas that the autoscaler may reach.
	MaxReplicas int `json:"maxReplicas,omitempty"`

	// Behavior of scaling up and down.
	Behavior *autoscalingv2.HorizontalPodAutoscalerBehavior `json:"behavior,omitempty"`

	// Metrics that drive the autoscaler.
	Metrics []autoscalingv2.MetricSpec `json:"metrics,omitempty"`
}

// VolumeMount mounts a PersistentVolumeClaim into the main container.
type VolumeMount struct {
	// Name of the claim.
	Name string `json:"name"`

	// MountPoint is the path in the container. May be absent with useAsCompilationCache on vLLM: /root/.cache/vllm.
	MountPoint string `json:"mountPoint,omitempty"`

	// UseAsCompilationCache tells the engine to keep compiled kernels there, so that the next start is faster.
	//
	// +kubebuilder:default=false
	UseAsCompilationCache bool `json:"useAsCompilationCache,omitempty"`
}

// Ingress exposes a service outside the cluster.
type Ingress struct {
	// Enabled turns it on: host is then required. Default false.
	Enabled bool `json:"enabled,omitempty"`

	// Host is the beginning of the host name <hostPrefix><host>.<hostSuffix>, or all of it where it has dots and the block has no
	// hostSuffix.
	Host string `json:"host,omitempty"`

	// UseVirtualService asks for an Istio VirtualService in place of an Ingress, where Istio is installed.
	UseVirtualService bool `json:"useVirtualService,omitempty"`

	// VirtualServiceGateway is the gateway of the VirtualService. Absent: the platform's.
	VirtualServiceGateway *string `json:"virtualServiceGateway,omitempty"`

	// HostPrefix is put before the host, without a dot. Absent: nothing.
	HostPrefix *string `json:"hostPrefix,omitempty"`

	// Annotations of the Ingress, VirtualService or HTTPRoute. Only those are set that the platform allows.
	Annotations map[string]string `json:"annotations,omitempty"`

	// Labels of the Ingress, VirtualService or HTTPRoute.
	Labels map[string]string `json:"labels,omitempty"`

	// TLS of the Ingress. Absent: the platform's, or plain HTTP.
	TLS *IngressTLS `json:"tls,omitempty"`

	// HostSuffix is the domain that follows the host, after a dot. Absent: the platform's, or local, and nothing where the
	// host has dots. Empty: the host has its domain already.
	HostSuffix *string `json:"hostSuffix,omitempty"`

	// IngressControllerClassName is the name of the IngressClass. Absent: the platform's, or the cluster's default.
	IngressControllerClassName *string `json:"ingressControllerClassName,omitempty"`
}

// IngressTLS is the TLS of an Ingress.
type IngressTLS struct {
	// SecretName of the Secret with certificate and key.
	SecretName string `json:"secretName,omitempty"`
}

// ModelReference names a model.
type ModelReference struct {
	// Name of the model.
	Name string `json:"name"`

	// Revision of the model.
	Revision string `json:"revision,omitempty"`
}

// SharedMemory is the tmpfs at /dev/shm.
type SharedMemory struct {
	// Disabled leaves the container runtime's own /dev/shm, of usually 64Mi. Default false: size is then required.
	Disabled bool `json:"disabled,omitempty"`

	// Size in bytes, a quantity such as 16Gi. It counts against the memory limit of the pod.
	Size resource.Quantity `json:"size,omitempty"`
}

// ExtraPodMetadata are further labels and annotations of the pods.
type ExtraPodMetadata struct {
	// Annotations of the pods.
	Annotations map[string]string `json:"annotations,omitempty"`

	// Labels of the pods.
	Labels map[string]string `json:"labels,omitempty"`
}

// ExtraPodSpec is a PodSpec (without the need for containers) and the main container, merged over the generated pod.
type ExtraPodSpec struct {
	corev1.PodSpec `json:",inline"`

	// MainContainer is merged over the generated main container.
	MainContainer *corev1.Container `json:"mainContainer,omitempty"`
}

// Multinode makes one replica span several nodes.
type Multinode struct {
	// NodeCount is the number of nodes, and so of pods, of one replica: at least 2, the default. GPUs of one replica:
	// nodeCount times resources.limits.gpu. It may change; whether there is a multinode block may not.
	//
	// +kubebuilder:default=2
	// +kubebuilder:validation:Minimum=2
	NodeCount int32 `json:"nodeCount"`

	// Leader holds settings of the leader.
	Leader *MultinodeRole `json:"leader,omitempty"`

	// Worker holds settings of the workers.
	Worker *MultinodeRole `json:"worker,omitempty"`
}

// MultinodeRole holds settings of one role of a multinode service.
type MultinodeRole struct {
	// ProviderOverride would be merged over the object that the orchestrator's provider makes for this role.
	ProviderOverride *ProviderOverride `json:"providerOverride,omitempty"`
}

// ScalingAdapter lets a DynamoGraphDeploymentScalingAdapter own the replicas of the service.
type ScalingAdapter struct {
	// Enabled turns the adapter on. An empty block is off.
	//
	// +kubebuilder:default=false
	Enabled bool `json:"enabled,omitempty"`
}

// FrontendSidecar is a frontend container beside the main container.
type FrontendSidecar struct {
	// Image of the sidecar.
	Image string `json:"image"`

	// Args of the sidecar; they replace the frontend's own. Absent: -m dynamo.frontend.
	Args []string `json:"args,omitempty"`

	// EnvFromSecret is the name of a Secret whose keys become environment variables.
	EnvFromSecret *string `json:"envFromSecret,omitempty"`

	// Envs are environment variables of the sidecar.
	Envs []corev1.EnvVar `json:"envs,omitempty"`
}

// TopologyConstraint is the placement of one service.
type TopologyConstraint struct {
	// PackDomain is the level within one domain of which each replica of the service is packed.
	//
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`
	PackDomain string `json:"packDomain"`
}
