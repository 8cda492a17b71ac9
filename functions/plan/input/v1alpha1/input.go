// Package v1alpha1 is the input of step plan: what the platform engineer decides in the Composition.
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

// Input of step plan. Every field is optional; the defaults suit a cluster with Grove and KAI.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:categories=crossplane,scope=Cluster
// +kubebuilder:storageversion
type Input struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Grove: detection and settings of the Grove path.
	Grove Grove `json:"grove,omitempty"`

	// KAI: detection and settings of the KAI scheduler.
	KAI KAI `json:"kai,omitempty"`

	// LWS: detection and settings of LeaderWorkerSet.
	LWS LWS `json:"lws,omitempty"`

	// Volcano: detection and settings of the Volcano scheduler.
	Volcano Volcano `json:"volcano,omitempty"`

	// Topology: policy for topology constraints.
	Topology Topology `json:"topology,omitempty"`

	// MNNVL: policy for multi-node NVLink.
	MNNVL MNNVL `json:"mnnvl,omitempty"`

	// ScalingAdapter: detection of DynamoGraphDeploymentScalingAdapter.
	ScalingAdapter ScalingAdapter `json:"scalingAdapter,omitempty"`

	// Infrastructure that every pod is told of through environment variables.
	Infrastructure Infrastructure `json:"infrastructure,omitempty"`

	// Discovery of the services of a graph by each other.
	Discovery Discovery `json:"discovery,omitempty"`

	// Ingress defaults of frontends that say nothing themselves.
	Ingress Ingress `json:"ingress,omitempty"`

	// Istio: detection of Istio, for VirtualServices.
	Istio Istio `json:"istio,omitempty"`

	// GatewayAPI: detection of the Gateway API, for HTTPRoutes.
	GatewayAPI GatewayAPI `json:"gatewayAPI,omitempty"`

	// InferenceExtension: detection of the Gateway API Inference Extension, for InferencePools.
	InferenceExtension InferenceExtension `json:"inferenceExtension,omitempty"`

	// ImagePullSecrets are added to pods with an image of their registry. A change of this list restarts such pods.
	//
	// +kubebuilder:validation:MaxItems=100
	ImagePullSecrets []RegistrySecret `json:"imagePullSecrets,omitempty"`

	// VLLM: policy for vLLM workers.
	VLLM VLLM `json:"vllm,omitempty"`
}

// Istio holds the detection of Istio.
type Istio struct {
	// Mode is Auto (the default: detected by its API group, where a frontend asks for a VirtualService), Enabled or Disabled.
	Mode Mode `json:"mode,omitempty"`
}

// GatewayAPI holds the detection of the Gateway API.
type GatewayAPI struct {
	// Mode is Auto (the default: detected by its API group, where a frontend gets an HTTPRoute), Enabled or Disabled.
	Mode Mode `json:"mode,omitempty"`
}

// InferenceExtension holds the detection of the Gateway API Inference Extension.
type InferenceExtension struct {
	// Mode is Auto (the default: detected by its API group, where a graph has an Endpoint Picker), Enabled or Disabled.
	Mode Mode `json:"mode,omitempty"`
}

// RegistrySecret is the pull secret of a registry.
type RegistrySecret struct {
	// Registry is the host of the registry, with its port if it has one, such as nvcr.io. Images without a host are of
	// docker.io.
	//
	// +kubebuilder:validation:MinLength=1
	Registry string `json:"registry"`

	// SecretName of the Secret, of type kubernetes.io/dockerconfigjson, in the namespace of the graph. Where a namespace does
	// not have it, its pods are pulled for without it.
	//
	// +kubebuilder:validation:MinLength=1
	SecretName string `json:"secretName"`
}

// Mode says whether something installed in the cluster is used.
//
// +kubebuilder:validation:Enum=Auto;Enabled;Disabled
type Mode string

// The modes.
const (
	// ModeAuto detects it by its API group.
	ModeAuto Mode = "Auto"
	// ModeEnabled takes it as installed without looking.
	ModeEnabled Mode = "Enabled"
	// ModeDisabled takes it as absent without looking. A graph that uses it already goes on doing so.
	ModeDisabled Mode = "Disabled"
)

// GangProvider is who makes the gang of a LeaderWorkerSet on Volcano.
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

	// GangProvider of LeaderWorkerSets on Volcano. Default PodGroup; LWS where the LWS operator makes the PodGroups. Running
	// graphs keep what they have.
	GangProvider GangProvider `json:"gangProvider,omitempty"`
}

// Volcano holds detection and settings of the Volcano scheduler.
type Volcano struct {
	// Mode is Auto (the default: detected by its API group), Enabled or Disabled.
	Mode Mode `json:"mode,omitempty"`

	// Queue of graphs without annotation scheduling.volcano.sh/queue-name. Default default. Running graphs keep theirs.
	Queue string `json:"queue,omitempty"`

	// TopologyDialect of the installed version. Default Auto.
	TopologyDialect VolcanoTopologyDialect `json:"topologyDialect,omitempty"`

	// Tiers of HyperNodes by domain of the topology, where neither the name nor the number of a tier follows from the levels
	// of the topology: 1 or more.
	Tiers map[string]int `json:"tiers,omitempty"`
}

// VolcanoTopologyDialect is the form in which a version of Volcano takes topology constraints.
//
// +kubebuilder:validation:Enum=Auto;TierName;Tier
type VolcanoTopologyDialect string

// The dialects of Volcano.
const (
	// VolcanoDialectAuto asks the cluster where the caller can answer; else it is TierName.
	VolcanoDialectAuto VolcanoTopologyDialect = "Auto"
	// VolcanoDialectTierName is {highestTierName}, which is the node label of the level: Volcano 1.14 and later with HyperNodes
	// that it discovers by label.
	VolcanoDialectTierName VolcanoTopologyDialect = "TierName"
	// VolcanoDialectTier is {highestTierAllowed}, a number that is counted from the level of the host upwards: Volcano 1.12
	// and 1.13.
	VolcanoDialectTier VolcanoTopologyDialect = "Tier"
)

// TopologyDialect is the form in which a version of Grove takes topology constraints.
//
// +kubebuilder:validation:Enum=Auto;PackDomain;PackDomainWithTopologyName;Pack
type TopologyDialect string

// The dialects of Grove.
const (
	// DialectAuto asks the cluster where the caller can answer; else it is Pack.
	DialectAuto TopologyDialect = "Auto"
	// DialectPackDomain is {packDomain}: Grove v0.1.0-alpha.8 and before, with a ClusterTopology.
	DialectPackDomain TopologyDialect = "PackDomain"
	// DialectPackDomainWithTopologyName is {packDomain, topologyName}: v0.1.0-alpha.9, with a ClusterTopologyBinding.
	DialectPackDomainWithTopologyName TopologyDialect = "PackDomainWithTopologyName"
	// DialectPack is {topologyName, pack: {required}}: v0.1.0-alpha.10 and later, with a ClusterTopologyBinding.
	DialectPack TopologyDialect = "Pack"
)

// Grove holds detection and settings of the Grove path.
type Grove struct {
	// Mode is Auto (the default: detected by its API group), Enabled or Disabled.
	Mode Mode `json:"mode,omitempty"`

	// TerminationDelay is how long a gang may stay below its minimum before Grove terminates it. Default 15m; more than 0.
	TerminationDelay *metav1.Duration `json:"terminationDelay,omitempty"`

	// TopologyDialect of the installed version. Default Auto.
	TopologyDialect TopologyDialect `json:"topologyDialect,omitempty"`
}

// KAI holds detection and settings of the KAI scheduler.
type KAI struct {
	// Mode is Auto (the default: detected by its API group), Enabled or Disabled.
	Mode Mode `json:"mode,omitempty"`

	// Queue of graphs without annotation nvidia.com/kai-scheduler-queue. Default dynamo. Running graphs keep theirs.
	Queue string `json:"queue,omitempty"`
}

// Topology is the policy for topology constraints.
type Topology struct {
	// AllowWithoutKAI permits topology constraints on Grove where KAI is not installed. Without a scheduler that knows
	// topology they have no effect, or keep pods from being scheduled.
	AllowWithoutKAI bool `json:"allowWithoutKAI,omitempty"`

	// Profiles define topologies for graphs that do not run on Grove, where they go before Grove's topology objects.
	Profiles []TopologyProfile `json:"profiles,omitempty"`
}

// TopologyProfile defines a topology.
type TopologyProfile struct {
	// Name by which graphs refer to it in topologyConstraint.topologyProfile. Where KAI schedules, its Topology has the same
	// name.
	Name string `json:"name"`

	// Levels of the topology, broadest first.
	//
	// +kubebuilder:validation:MinItems=1
	Levels []TopologyLevel `json:"levels"`
}

// TopologyLevel is one level of a topology.
type TopologyLevel struct {
	// Domain is the name by which graphs refer to the level, such as rack.
	Domain string `json:"domain"`

	// Key is the node label whose values are the domains of this level.
	Key string `json:"key"`
}

// ScalingAdapter holds the detection of DynamoGraphDeploymentScalingAdapter.
type ScalingAdapter struct {
	// Mode is Auto (the default: detected by its kind where the caller can tell, which Crossplane can from v2.2 on; else
	// taken as absent), Enabled or Disabled.
	Mode Mode `json:"mode,omitempty"`
}

// Infrastructure that every pod is told of through environment variables. What is empty is not set.
type Infrastructure struct {
	// NATSAddress becomes NATS_SERVER, such as nats://nats.dynamo-system:4222.
	NATSAddress string `json:"natsAddress,omitempty"`

	// EtcdAddress becomes ETCD_ENDPOINTS.
	EtcdAddress string `json:"etcdAddress,omitempty"`

	// ModelExpressURL becomes MODEL_EXPRESS_URL.
	ModelExpressURL string `json:"modelExpressURL,omitempty"`

	// PrometheusEndpoint becomes PROMETHEUS_ENDPOINT.
	PrometheusEndpoint string `json:"prometheusEndpoint,omitempty"`
}

// DiscoveryBackend is how the services of a graph find each other.
//
// +kubebuilder:validation:Enum=kubernetes;etcd
type DiscoveryBackend string

// The discovery backends.
const (
	DiscoveryKubernetes DiscoveryBackend = "kubernetes"
	DiscoveryEtcd       DiscoveryBackend = "etcd"
)

// Discovery of the services of a graph by each other.
type Discovery struct {
	// Backend of graphs without annotation nvidia.com/dynamo-discovery-backend. Default kubernetes. Running graphs keep theirs.
	Backend DiscoveryBackend `json:"backend,omitempty"`
}

// Ingress defaults of frontends.
type Ingress struct {
	// ClassName is the IngressClass. With it, every frontend without an ingress block of its own gets an Ingress whose
	// host begins with the name of the graph; a block without a class gets this one.
	ClassName string `json:"className,omitempty"`

	// HostSuffix follows the host, after a dot, where a block has none and its host has no dots. Default local.
	HostSuffix string `json:"hostSuffix,omitempty"`

	// TLSSecretName is the Secret with certificate and key of Ingresses.
	TLSSecretName string `json:"tlsSecretName,omitempty"`

	// VirtualServiceGateway is the Istio gateway, as gateway or namespace/gateway, of blocks with useVirtualService that name
	// none. With it, and without className, every frontend without an ingress block of its own gets a VirtualService.
	VirtualServiceGateway string `json:"virtualServiceGateway,omitempty"`

	// Gateway of the Gateway API. With it, a frontend to which no class applies gets an HTTPRoute in place of an Ingress:
	// also one without an ingress block of its own, unless it gets a VirtualService.
	Gateway *Gateway `json:"gateway,omitempty"`

	// AllowedAnnotations are the annotations that the ingress block of a graph may set on its Ingress, VirtualService or
	// HTTPRoute, by their whole names, such as nginx.ingress.kubernetes.io/proxy-body-size. Default none: many controllers take
	// configuration from annotations, snippets of it and addresses to ask included. One that is not in the list is not set, and
	// condition Accepted of the graph names it.
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

	// Namespace of the Gateway. Default the namespace of the graph.
	Namespace string `json:"namespace,omitempty"`

	// SectionName of the listener. Default all listeners that allow the route.
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
	// DistributedExecutor of services without annotation nvidia.com/vllm-distributed-executor-backend. Default ray. Running
	// services keep theirs.
	DistributedExecutor VLLMExecutor `json:"distributedExecutor,omitempty"`
}
