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
	// fields, and later ones over earlier ones.
	//
	// +kubebuilder:validation:MaxItems=1000
	Namespaces []NamespacePolicy `json:"namespaces,omitempty"`
}

// Overlay is the data of an EnvironmentConfig: a policy, which takes precedence over that of the input.
type Overlay struct {
	Policy `json:",inline"`

	// Namespaces hold the policy of some namespaces, as in the input.
	Namespaces []NamespacePolicy `json:"namespaces,omitempty"`
}

// EnvironmentConfig of Crossplane with the policy of the platform.
type EnvironmentConfig struct {
	// Mode is Enabled (the default: the EnvironmentConfig is looked up, and need not exist) or Disabled.
	Mode EnvironmentConfigMode `json:"mode,omitempty"`

	// Name of the EnvironmentConfig. Defaults to dynamo.
	Name string `json:"name,omitempty"`
}

// EnvironmentConfigMode is whether an EnvironmentConfig is looked up.
//
// +kubebuilder:validation:Enum=Enabled;Disabled
type EnvironmentConfigMode string

// The modes of the EnvironmentConfig.
const (
	EnvironmentConfigEnabled  EnvironmentConfigMode = "Enabled"
	EnvironmentConfigDisabled EnvironmentConfigMode = "Disabled"
)

// NamespacePolicy is the policy of some namespaces. Fields that it does not have are those of the policy of all namespaces.
type NamespacePolicy struct {
	Policy `json:",inline"`

	// Selector of the namespaces.
	Selector NamespaceSelector `json:"selector"`
}

// NamespaceSelector selects namespaces.
type NamespaceSelector struct {
	// MatchNames are names of namespaces. An asterisk stands for any characters, such as in team-*.
	//
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=1000
	MatchNames []string `json:"matchNames"`
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

	// Topology holds the policy for topology constraints.
	Topology Topology `json:"topology,omitempty"`

	// MNNVL holds the policy for multi-node NVLink.
	MNNVL MNNVL `json:"mnnvl,omitempty"`

	// ScalingAdapter holds the detection of DynamoGraphDeploymentScalingAdapter.
	ScalingAdapter ScalingAdapter `json:"scalingAdapter,omitempty"`

	// Checkpoints holds the detection of the snapshot operator, and how pods are restored from checkpoints.
	Checkpoints Checkpoints `json:"checkpoints,omitempty"`

	// Infrastructure holds addresses that are passed to every pod in environment variables.
	Infrastructure Infrastructure `json:"infrastructure,omitempty"`

	// Discovery configures how the services of a graph discover each other.
	Discovery Discovery `json:"discovery,omitempty"`

	// Ingress holds defaults for exposing frontends.
	Ingress Ingress `json:"ingress,omitempty"`

	// Istio holds the detection of Istio, for VirtualServices and DestinationRules.
	Istio Istio `json:"istio,omitempty"`

	// GatewayAPI holds the detection of the Gateway API, for HTTPRoutes.
	GatewayAPI GatewayAPI `json:"gatewayAPI,omitempty"`

	// InferenceExtension holds the detection of the Gateway API Inference Extension, for InferencePools.
	InferenceExtension InferenceExtension `json:"inferenceExtension,omitempty"`

	// ImagePullSecrets are added to pods with an image from their registry. Running pods do not change with this list.
	//
	// +kubebuilder:validation:MaxItems=100
	ImagePullSecrets []RegistrySecret `json:"imagePullSecrets,omitempty"`

	// VLLM holds the policy for vLLM workers.
	VLLM VLLM `json:"vllm,omitempty"`

	// Runtime holds the policy for the release of Dynamo that images have.
	Runtime Runtime `json:"runtime,omitempty"`

	// GuardRails limit what graphs may request. Running graphs that exceed them get a warning, and are only refused changes that exceed
	// them further.
	GuardRails GuardRails `json:"guardRails,omitempty"`
}

// Runtime is the policy for the release of Dynamo that images have. Pods are built for the release in their image.
type Runtime struct {
	// Version of services without runtimeVersionOverride whose image tag contains no version, such as 1.4.0. Defaults to the
	// newest release that is known, with a warning. Running pods do not change with it.
	//
	// +kubebuilder:validation:Pattern=`^(0|[1-9][0-9]{0,3})\.(0|[1-9][0-9]{0,3})\.(0|[1-9][0-9]{0,3})$`
	Version string `json:"version,omitempty"`

	// Force the version on all services, regardless of their images. Defaults to false.
	Force bool `json:"force,omitempty"`
}

// Istio holds the detection of Istio, and how its mesh calls Endpoint Pickers.
type Istio struct {
	// Mode is Auto (the default: detected by its API group if a graph requests one of its kinds), Enabled or Disabled.
	Mode Mode `json:"mode,omitempty"`

	// EndpointPickers of all graphs get a DestinationRule, without which a gateway in the mesh may call them by TLS within TLS.
	// +optional
	EndpointPickers *IstioTLS `json:"endpointPickers,omitempty"`
}

// IstioTLS is how proxies of the mesh connect to a Service.
type IstioTLS struct {
	// TLSMode is SIMPLE (the default, because Endpoint Pickers serve TLS), ISTIO_MUTUAL or DISABLE.
	TLSMode IstioTLSMode `json:"tlsMode,omitempty"`

	// InsecureSkipVerify accepts every certificate. Defaults to true, because those of Endpoint Pickers are self-signed.
	// +optional
	InsecureSkipVerify *bool `json:"insecureSkipVerify,omitempty"`
}

// IstioTLSMode of a DestinationRule.
// +kubebuilder:validation:Enum=DISABLE;ISTIO_MUTUAL;SIMPLE
type IstioTLSMode string

// The modes.
const (
	IstioTLSDisable     IstioTLSMode = "DISABLE"
	IstioTLSIstioMutual IstioTLSMode = "ISTIO_MUTUAL"
	IstioTLSSimple      IstioTLSMode = "SIMPLE"
)

// GatewayAPI holds the detection of the Gateway API.
type GatewayAPI struct {
	// Mode is Auto (the default: detected by its API group if a frontend gets an HTTPRoute), Enabled or Disabled.
	Mode Mode `json:"mode,omitempty"`
}

// InferenceExtension holds the detection of the Gateway API Inference Extension.
type InferenceExtension struct {
	// Mode is Auto (the default: detected by its API group if a graph has an Endpoint Picker), Enabled or Disabled.
	Mode Mode `json:"mode,omitempty"`
}

// RegistrySecret is the pull secret of a registry.
type RegistrySecret struct {
	// Registry is the host of the registry, including its port if it has one, such as nvcr.io. Images without a host are
	// from docker.io.
	//
	// +kubebuilder:validation:MinLength=1
	Registry string `json:"registry"`

	// SecretName is the name of a Secret of type kubernetes.io/dockerconfigjson in the namespace of the graph. In a namespace
	// without this Secret, images are pulled without it.
	//
	// +kubebuilder:validation:MinLength=1
	SecretName string `json:"secretName"`
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

// GangProvider is who creates the gang of a LeaderWorkerSet on Volcano.
//
// +kubebuilder:validation:Enum=PodGroup;LWS
type GangProvider string

// The gang providers.
const (
	// GangProviderPodGroup composes a PodGroup for each LeaderWorkerSet.
	GangProviderPodGroup GangProvider = "PodGroup"
	// GangProviderLWS leaves it to the LWS operator, which must run with schedulerProvider volcano (LWS 0.7 or later).
	GangProviderLWS GangProvider = "LWS"
)

// LWS holds detection and settings of LeaderWorkerSet.
type LWS struct {
	// Mode is Auto (the default: detected by its API group), Enabled or Disabled.
	Mode Mode `json:"mode,omitempty"`

	// GangProvider of LeaderWorkerSets on Volcano: PodGroup (the default), or LWS if the LWS operator creates the PodGroups.
	// Running graphs keep their gang provider.
	GangProvider GangProvider `json:"gangProvider,omitempty"`
}

// Volcano holds detection and settings of the Volcano scheduler.
type Volcano struct {
	// Mode is Auto (the default: detected by its API group), Enabled or Disabled.
	Mode Mode `json:"mode,omitempty"`

	// Queue of graphs without annotation scheduling.volcano.sh/queue-name, or nvidia.com/volcano-queue on Grove. Defaults to default.
	// Running graphs keep their queue.
	Queue string `json:"queue,omitempty"`

	// TopologyDialect of the installed version. Defaults to Auto.
	TopologyDialect VolcanoTopologyDialect `json:"topologyDialect,omitempty"`

	// Tiers of HyperNodes by topology domain, for domains whose tier cannot be derived from the levels of the topology. Each
	// must be at least 1.
	Tiers map[string]int `json:"tiers,omitempty"`
}

// VolcanoTopologyDialect is the format of topology constraints in a version of Volcano.
//
// +kubebuilder:validation:Enum=Auto;TierName;Tier
type VolcanoTopologyDialect string

// The dialects of Volcano.
const (
	// VolcanoDialectAuto detects the dialect if the caller supports it, and is TierName otherwise.
	VolcanoDialectAuto VolcanoTopologyDialect = "Auto"
	// VolcanoDialectTierName is {highestTierName}, the node label of the level: Volcano 1.14 and later with HyperNodes that are
	// discovered by label.
	VolcanoDialectTierName VolcanoTopologyDialect = "TierName"
	// VolcanoDialectTier is {highestTierAllowed}, a number that is counted upwards from the host level: Volcano 1.12 and 1.13.
	VolcanoDialectTier VolcanoTopologyDialect = "Tier"
)

// TopologyDialect is the format of topology constraints in a version of Grove.
//
// +kubebuilder:validation:Enum=Auto;PackDomain;PackDomainWithTopologyName;Pack
type TopologyDialect string

// The dialects of Grove.
const (
	// DialectAuto detects the dialect if the caller supports it, and is Pack otherwise.
	DialectAuto TopologyDialect = "Auto"
	// DialectPackDomain is {packDomain}: Grove v0.1.0-alpha.8 and before, with a ClusterTopology.
	DialectPackDomain TopologyDialect = "PackDomain"
	// DialectPackDomainWithTopologyName is {packDomain, topologyName}: v0.1.0-alpha.9, with a ClusterTopologyBinding.
	DialectPackDomainWithTopologyName TopologyDialect = "PackDomainWithTopologyName"
	// DialectPack is {topologyName, pack: {required}}: v0.1.0-alpha.10 and later, with a ClusterTopologyBinding.
	DialectPack TopologyDialect = "Pack"
)

// Grove holds detection and settings of Grove.
type Grove struct {
	// Mode is Auto (the default: detected by its API group), Enabled or Disabled.
	Mode Mode `json:"mode,omitempty"`

	// TerminationDelay is how long a gang may stay below its minimum before Grove terminates it. Must be greater than 0.
	// Defaults to 15m.
	TerminationDelay *metav1.Duration `json:"terminationDelay,omitempty"`

	// TopologyDialect of the installed version. Defaults to Auto.
	TopologyDialect TopologyDialect `json:"topologyDialect,omitempty"`

	// Scheduler of pods on Grove that name none: Auto (the default: KAI if it is installed, otherwise the default of the cluster), or
	// Volcano, which requires Grove v0.1.0-alpha.10 or later with its backend for Volcano. Running graphs keep their scheduler.
	Scheduler GroveScheduler `json:"scheduler,omitempty"`
}

// GroveScheduler of pods on Grove that name none.
//
// +kubebuilder:validation:Enum=Auto;Volcano
type GroveScheduler string

// The schedulers of pods on Grove.
const (
	// GroveSchedulerAuto is KAI if it is installed, and otherwise the default of the cluster.
	GroveSchedulerAuto GroveScheduler = "Auto"
	// GroveSchedulerVolcano is Volcano, also if KAI is installed.
	GroveSchedulerVolcano GroveScheduler = "Volcano"
)

// KAI holds detection and settings of the KAI scheduler.
type KAI struct {
	// Mode is Auto (the default: detected by its API group), Enabled or Disabled.
	Mode Mode `json:"mode,omitempty"`

	// Queue of graphs without annotation nvidia.com/kai-scheduler-queue. Defaults to dynamo. Running graphs keep their queue.
	Queue string `json:"queue,omitempty"`
}

// Topology is the policy for topology constraints.
type Topology struct {
	// AllowWithoutKAI allows topology constraints on Grove if KAI is not installed. With a scheduler that does not support
	// topology they have no effect, or prevent pods from being scheduled.
	AllowWithoutKAI bool `json:"allowWithoutKAI,omitempty"`

	// PodLabels are the labels of nodes that something copies to the pods that are scheduled to them, by which workers of graphs with a
	// kvTransferPolicy find their topology domain. Defaults to topology.kubernetes.io/region and topology.kubernetes.io/zone, which
	// Kubernetes copies since version 1.35. Set it to [] in a cluster where nothing does.
	//
	// +kubebuilder:validation:MaxItems=100
	PodLabels []string `json:"podLabels,omitempty"`

	// Profiles define topologies for graphs that do not run on Grove. They take precedence over Grove's topology objects.
	Profiles []TopologyProfile `json:"profiles,omitempty"`
}

// TopologyProfile defines a topology.
type TopologyProfile struct {
	// Name that graphs use in topologyConstraint.topologyProfile. If KAI schedules the pods, its Topology must have the same
	// name.
	Name string `json:"name"`

	// Levels of the topology, broadest first.
	//
	// +kubebuilder:validation:MinItems=1
	Levels []TopologyLevel `json:"levels"`
}

// TopologyLevel is one level of a topology.
type TopologyLevel struct {
	// Domain is the name that graphs use to refer to the level, such as rack.
	Domain string `json:"domain"`

	// Key is the node label whose values are the domains of the level.
	Key string `json:"key"`
}

// ScalingAdapter holds the detection of DynamoGraphDeploymentScalingAdapter.
type ScalingAdapter struct {
	// Mode is Auto (the default: detected by its kind, which requires Crossplane v2.2 or later, and Disabled otherwise), Enabled
	// or Disabled.
	Mode Mode `json:"mode,omitempty"`
}

// Checkpoints holds the detection of the snapshot operator, and how pods are restored from checkpoints. Running pods do not change with it.
type Checkpoints struct {
	// Mode is Auto (the default: detected by kind PodSnapshot if a graph refers to a checkpoint, which requires Crossplane v2.2 or
	// later, and Disabled otherwise), Enabled or Disabled.
	Mode Mode `json:"mode,omitempty"`

	// SeccompProfile of restored pods, a path on the nodes. Defaults to profiles/block-iouring.json, which the chart of the snapshot
	// operator installs. Set it to "" in a cluster where pods may not have profiles of their nodes.
	//
	// +optional
	SeccompProfile *string `json:"seccompProfile,omitempty"`

	// Storage of checkpoints that restored pods mount. Defaults to none: the agent of the snapshot operator mounts it for them, except
	// in v0.1.0-alpha.1.
	//
	// +optional
	Storage *CheckpointStorage `json:"storage,omitempty"`
}

// CheckpointStorage is a PersistentVolumeClaim with checkpoints.
type CheckpointStorage struct {
	// ClaimName is the name of the PersistentVolumeClaim in the namespace of each graph that restores pods.
	//
	// +kubebuilder:validation:MinLength=1
	ClaimName string `json:"claimName"`

	// BasePath is where pods mount it, such as /checkpoints: storage.pvc.basePath of the chart of the snapshot operator.
	//
	// +kubebuilder:validation:Pattern=`^/`
	BasePath string `json:"basePath"`
}

// Infrastructure holds addresses that are passed to every pod in environment variables. Variables of empty fields are not set.
type Infrastructure struct {
	// NATSAddress is the value of NATS_SERVER, such as nats://nats.dynamo-system:4222.
	NATSAddress string `json:"natsAddress,omitempty"`

	// EtcdAddress is the value of ETCD_ENDPOINTS.
	EtcdAddress string `json:"etcdAddress,omitempty"`

	// ModelExpressURL is the value of MODEL_EXPRESS_URL.
	ModelExpressURL string `json:"modelExpressURL,omitempty"`

	// PrometheusEndpoint is the value of PROMETHEUS_ENDPOINT.
	PrometheusEndpoint string `json:"prometheusEndpoint,omitempty"`
}

// DiscoveryBackend is how the services of a graph discover each other.
//
// +kubebuilder:validation:Enum=kubernetes;etcd
type DiscoveryBackend string

// The discovery backends.
const (
	DiscoveryKubernetes DiscoveryBackend = "kubernetes"
	DiscoveryEtcd       DiscoveryBackend = "etcd"
)

// Discovery configures how the services of a graph discover each other.
type Discovery struct {
	// Backend of graphs without annotation nvidia.com/dynamo-discovery-backend. Defaults to kubernetes. Running graphs keep their
	// backend.
	Backend DiscoveryBackend `json:"backend,omitempty"`
}

// Ingress holds defaults for exposing frontends.
type Ingress struct {
	// ClassName is the name of the default IngressClass. If set, every frontend without an ingress block gets an Ingress whose
	// host begins with the name of the graph.
	ClassName string `json:"className,omitempty"`

	// HostSuffix is added to the host, after a dot, if an ingress block has no hostSuffix and its host contains no dots.
	// Defaults to local.
	HostSuffix string `json:"hostSuffix,omitempty"`

	// TLSSecretName is the name of the Secret with the certificate and the key of Ingresses.
	TLSSecretName string `json:"tlsSecretName,omitempty"`

	// VirtualServiceGateway is the default Istio gateway of ingress blocks with useVirtualService, as gateway or
	// namespace/gateway. If it is set and className is not, every frontend without an ingress block gets a VirtualService.
	VirtualServiceGateway string `json:"virtualServiceGateway,omitempty"`

	// Gateway of the Gateway API. If set, a frontend to which no IngressClass applies gets an HTTPRoute instead of an Ingress.
	// This includes frontends without an ingress block, unless they get a VirtualService.
	Gateway *Gateway `json:"gateway,omitempty"`

	// AllowedAnnotations are the annotations that the ingress block of a graph may set on its Ingress, VirtualService or
	// HTTPRoute, by their full names, such as nginx.ingress.kubernetes.io/proxy-body-size. Defaults to none, because many
	// controllers read configuration from annotations, including snippets and addresses of other servers. Annotations that are
	// not in the list are not set, and condition Accepted of the graph names them.
	//
	// +kubebuilder:validation:MaxItems=100
	AllowedAnnotations []string `json:"allowedAnnotations,omitempty"`
}

// Gateway is a Gateway of the Gateway API.
type Gateway struct {
	// Name of the Gateway.
	//
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`

	// Namespace of the Gateway. Defaults to the namespace of the graph.
	Namespace string `json:"namespace,omitempty"`

	// SectionName of the listener. Defaults to all listeners that allow the route.
	SectionName string `json:"sectionName,omitempty"`
}

// VLLMExecutor is how a vLLM engine spans several nodes.
//
// +kubebuilder:validation:Enum=ray;mp
type VLLMExecutor string

// The executors.
const (
	VLLMExecutorRay VLLMExecutor = "ray"
	VLLMExecutorMP  VLLMExecutor = "mp"
)

// VLLM is the policy for vLLM workers.
type VLLM struct {
	// DistributedExecutor of services without annotation nvidia.com/vllm-distributed-executor-backend. Defaults to ray. Running
	// services keep their executor.
	DistributedExecutor VLLMExecutor `json:"distributedExecutor,omitempty"`
}
