package v1alpha1

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// The component types that have defaults. Any other value is accepted and has no defaults.
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

// Service is one service of the graph: its pods, their number, and how they are exposed.
type Service struct {
	// Annotations of the workload of the service.
	Annotations map[string]string `json:"annotations,omitempty"`

	// Labels of the workload of the service.
	Labels map[string]string `json:"labels,omitempty"`

	// ServiceName is set by the Dynamo operator to the key of the service. If set, it must be equal to that key.
	ServiceName string `json:"serviceName,omitempty"`

	// ComponentType is the role of the service: frontend, worker, prefill, decode, planner or epp. With any other value, or
	// none, the pods get no defaults.
	//
	// +kubebuilder:validation:MaxLength=63
	ComponentType string `json:"componentType,omitempty"`

	// SubComponentType is a more specific role that the planner reads: prefill or decode.
	SubComponentType string `json:"subComponentType,omitempty"`

	// DynamoNamespace is deprecated and has no effect: the Dynamo namespace is <namespace>-<name> of the graph.
	DynamoNamespace *string `json:"dynamoNamespace,omitempty"`

	// GlobalDynamoNamespace adds the service to the shared Dynamo namespace "dynamo".
	GlobalDynamoNamespace bool `json:"globalDynamoNamespace,omitempty"`

	// Resources of the main container, in short form.
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

	// ModelRef is the model that the service serves. A headless Service is created that selects all pods of the model.
	ModelRef *ModelReference `json:"modelRef,omitempty"`

	// SharedMemory is the tmpfs at /dev/shm. Defaults to 8Gi.
	SharedMemory *SharedMemory `json:"sharedMemory,omitempty"`

	// ExtraPodMetadata are additional labels and annotations of the pods.
	ExtraPodMetadata *ExtraPodMetadata `json:"extraPodMetadata,omitempty"`

	// ExtraPodSpec is merged over the generated pod.
	ExtraPodSpec *ExtraPodSpec `json:"extraPodSpec,omitempty"`

	// LivenessProbe replaces the generated liveness probe of the main container.
	LivenessProbe *corev1.Probe `json:"livenessProbe,omitempty"`

	// ReadinessProbe replaces the generated readiness probe of the main container.
	ReadinessProbe *corev1.Probe `json:"readinessProbe,omitempty"`

	// Replicas of the service. For a multinode service, the number of groups of nodes. Defaults to 1.
	//
	// +kubebuilder:validation:Minimum=0
	Replicas *int32 `json:"replicas,omitempty"`

	// MinAvailable is the number of replicas that the gang scheduler must place together on Grove. Defaults to 1. Immutable.
	//
	// +kubebuilder:validation:Minimum=1
	MinAvailable *int32 `json:"minAvailable,omitempty"`

	// Multinode makes each replica span several nodes. Only for componentType worker, prefill or decode.
	Multinode *Multinode `json:"multinode,omitempty"`

	// Roles of the pods of a multinode service: leader and worker. If set, both are required.
	//
	// +listType=map
	// +listMapKey=name
	Roles []ComponentRole `json:"roles,omitempty"`

	// ScalingAdapter lets a DynamoGraphDeploymentScalingAdapter set the replicas.
	ScalingAdapter *ScalingAdapter `json:"scalingAdapter,omitempty"`

	// EPPConfig configures the Endpoint Picker. Required when componentType is epp and the image contains a release before 1.5.0, and not allowed otherwise.
	EPPConfig *EPPConfig `json:"eppConfig,omitempty"`

	// FrontendSidecar adds a frontend container to the pods.
	FrontendSidecar *FrontendSidecar `json:"frontendSidecar,omitempty"`

	// Checkpoint restores the workers from a checkpoint of a warm process.
	Checkpoint *Checkpoint `json:"checkpoint,omitempty"`

	// TopologyConstraint of the service. Its level must be the level of the graph or a narrower one. Immutable.
	TopologyConstraint *TopologyConstraint `json:"topologyConstraint,omitempty"`

	// GPUMemoryService shares GPU memory between the processes of a pod.
	GPUMemoryService *GPUMemoryService `json:"gpuMemoryService,omitempty"`

	// Failover keeps standby engines that share the GPUs through the GPU memory service.
	Failover *Failover `json:"failover,omitempty"`

	// ProviderOverride replaces the topology constraint of the clique or scaling group that runs the service on Grove, and sets its
	// minAvailable and rollingUpdate.
	ProviderOverride *ProviderOverride `json:"providerOverride,omitempty"`

	// RuntimeVersionOverride is the version of the Dynamo runtime, if it cannot be read from the image tag.
	//
	// +kubebuilder:validation:Pattern=`^(0|[1-9][0-9]{0,3})\.(0|[1-9][0-9]{0,3})\.(0|[1-9][0-9]{0,3})$`
	RuntimeVersionOverride string `json:"runtimeVersionOverride,omitempty"`
}

// Resources are the resources of the main container, in short form.
type Resources struct {
	// Requests of the main container.
	Requests *ResourceList `json:"requests,omitempty"`

	// Limits of the main container.
	Limits *ResourceList `json:"limits,omitempty"`

	// Claims for dynamic resource allocation that the main container uses. Each is the name of an entry of
	// extraPodSpec.resourceClaims.
	Claims []corev1.ResourceClaim `json:"claims,omitempty"`
}

// ResourceList is a set of resource quantities.
type ResourceList struct {
	// CPU in cores, as a quantity such as 4 or 500m.
	CPU *resource.Quantity `json:"cpu,omitempty"`

	// Memory in bytes, as a quantity such as 64Gi.
	Memory *resource.Quantity `json:"memory,omitempty"`

	// GPU is the number of devices of type gpuType per pod. Each node of a multinode service runs one pod.
	GPU *resource.Quantity `json:"gpu,omitempty"`

	// GPUType is the resource name of the device. Defaults to nvidia.com/gpu.
	GPUType string `json:"gpuType,omitempty"`

	// Custom are the quantities of other resources by name, such as rdma/ib or ephemeral-storage.
	Custom map[string]resource.Quantity `json:"custom,omitempty"`
}

// Autoscaling of a service's replicas.
type Autoscaling struct {
	// Enabled turns autoscaling on. Defaults to false.
	Enabled bool `json:"enabled,omitempty"`

	// MinReplicas is the lower limit for the number of replicas.
	MinReplicas int `json:"minReplicas,omitempty"`

	// MaxReplicas is the upper limit for the number of replicas.
	MaxReplicas int `json:"maxReplicas,omitempty"`

	// Behavior configures how replicas are scaled up and down.
	Behavior *autoscalingv2.HorizontalPodAutoscalerBehavior `json:"behavior,omitempty"`

	// Metrics that determine the number of replicas.
	Metrics []autoscalingv2.MetricSpec `json:"metrics,omitempty"`
}

// VolumeMount mounts a PersistentVolumeClaim into the main container.
type VolumeMount struct {
	// Name of the claim.
	Name string `json:"name"`

	// MountPoint is the path in the container. Defaults to /root/.cache/vllm for vLLM with useAsCompilationCache, and is
	// required otherwise.
	MountPoint string `json:"mountPoint,omitempty"`

	// UseAsCompilationCache lets the engine store compiled kernels in the volume, so that later starts are faster.
	//
	// +kubebuilder:default=false
	UseAsCompilationCache bool `json:"useAsCompilationCache,omitempty"`
}

// Ingress exposes a service outside the cluster.
type Ingress struct {
	// Enabled exposes the service, and requires host. Defaults to false.
	Enabled bool `json:"enabled,omitempty"`

	// Host is the middle part of the host name <hostPrefix><host>.<hostSuffix>. If it contains dots and hostSuffix is not set, no
	// suffix is added.
	Host string `json:"host,omitempty"`

	// UseVirtualService creates an Istio VirtualService instead of an Ingress. Requires Istio.
	UseVirtualService bool `json:"useVirtualService,omitempty"`

	// VirtualServiceGateway is the gateway of the VirtualService. Defaults to the gateway of the platform.
	VirtualServiceGateway *string `json:"virtualServiceGateway,omitempty"`

	// HostPrefix is added in front of the host, without a dot. Defaults to none.
	HostPrefix *string `json:"hostPrefix,omitempty"`

	// Annotations of the Ingress, VirtualService or HTTPRoute. Only annotations that the platform allows are set.
	Annotations map[string]string `json:"annotations,omitempty"`

	// Labels of the Ingress, VirtualService or HTTPRoute.
	Labels map[string]string `json:"labels,omitempty"`

	// TLS of the Ingress. Defaults to the certificate of the platform. Without a certificate, the Ingress serves plain HTTP.
	TLS *IngressTLS `json:"tls,omitempty"`

	// HostSuffix is the domain that is added to the host, after a dot. Defaults to the suffix of the platform, or local, and to
	// none if the host contains dots. Set it to the empty string to add none.
	HostSuffix *string `json:"hostSuffix,omitempty"`

	// IngressControllerClassName is the name of the IngressClass. Defaults to the class of the platform, or the default class of
	// the cluster.
	IngressControllerClassName *string `json:"ingressControllerClassName,omitempty"`
}

// IngressTLS is the TLS of an Ingress.
type IngressTLS struct {
	// SecretName is the name of the Secret with the certificate and the key.
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
	// Disabled keeps the default /dev/shm of the container runtime, usually 64Mi. Defaults to false. Size is required unless
	// disabled is true, and has no effect then.
	Disabled bool `json:"disabled,omitempty"`

	// Size in bytes, as a quantity such as 16Gi. It counts toward the memory limit of the pod.
	Size resource.Quantity `json:"size,omitempty"`
}

// ExtraPodMetadata are additional labels and annotations of the pods.
type ExtraPodMetadata struct {
	// Annotations of the pods.
	Annotations map[string]string `json:"annotations,omitempty"`

	// Labels of the pods.
	Labels map[string]string `json:"labels,omitempty"`
}

// ExtraPodSpec is a PodSpec, in which containers is optional, and the main container. It is merged over the generated pod.
type ExtraPodSpec struct {
	corev1.PodSpec `json:",inline"`

	// MainContainer is merged over the generated main container.
	MainContainer *corev1.Container `json:"mainContainer,omitempty"`
}

// Multinode makes each replica span several nodes.
type Multinode struct {
	// NodeCount is the number of nodes, and of pods, of each replica. Must be at least 2. Defaults to 2. A replica has nodeCount
	// times the GPUs of a pod. Immutable. The multinode block cannot be added or removed.
	//
	// +kubebuilder:default=2
	// +kubebuilder:validation:Minimum=2
	NodeCount int32 `json:"nodeCount"`

	// Leader is deprecated: use role leader in roles.
	Leader *MultinodeRole `json:"leader,omitempty"`

	// Worker is deprecated: use role worker in roles.
	Worker *MultinodeRole `json:"worker,omitempty"`
}

// The roles of the pods of a multinode component. Each replica has one leader, and a worker on each of its other nodes.
const (
	RoleLeader = "leader"
	RoleWorker = "worker"
)

// ComponentRole is one role of the pods of a multinode component.
type ComponentRole struct {
	// Name of the role: leader or worker.
	//
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Name string `json:"name"`

	// Replicas is the number of pods of the role in each replica of the component. Defaults to the only valid number: 1 for the
	// leader, and nodeCount - 1 for workers.
	//
	// +kubebuilder:validation:Minimum=1
	Replicas *int32 `json:"replicas,omitempty"`

	// ProviderOverride replaces the topology constraint of the clique of the role on Grove.
	ProviderOverride *ProviderOverride `json:"providerOverride,omitempty"`

	// PodTemplate of the pods of the role, since Dynamo 1.6.0. It is complete, and its command connects the nodes. If a role has a
	// podTemplate, every role needs a podTemplate, and the component must not have any. The container named main is merged over the generated main container.
	//
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	PodTemplate *corev1.PodTemplateSpec `json:"podTemplate,omitempty"`
}

// MultinodeRole holds settings of one role of a multinode component.
type MultinodeRole struct {
	// ProviderOverride replaces the topology constraint of the clique of the role on Grove.
	ProviderOverride *ProviderOverride `json:"providerOverride,omitempty"`
}

// ScalingAdapter lets a DynamoGraphDeploymentScalingAdapter set the replicas of the service.
type ScalingAdapter struct {
	// Enabled turns the adapter on. Defaults to false.
	//
	// +kubebuilder:default=false
	Enabled bool `json:"enabled,omitempty"`
}

// FrontendSidecar is a frontend container that runs next to the main container.
type FrontendSidecar struct {
	// Image of the sidecar.
	Image string `json:"image"`

	// Args of the sidecar, which replace the default arguments. Defaults to -m dynamo.frontend.
	Args []string `json:"args,omitempty"`

	// EnvFromSecret is the name of a Secret whose keys become environment variables.
	EnvFromSecret *string `json:"envFromSecret,omitempty"`

	// Envs are environment variables of the sidecar.
	Envs []corev1.EnvVar `json:"envs,omitempty"`
}

// TopologyConstraint is the placement of one component.
type TopologyConstraint struct {
	// PackDomain is the topology level at which each replica of the component is packed into one domain.
	//
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`
	PackDomain string `json:"packDomain"`
}
