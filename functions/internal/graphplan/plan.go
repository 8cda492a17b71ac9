// Package graphplan holds the plan: the small document in which step plan tells the later steps what it decided. It
// holds decisions, never pod specs and never secrets.
package graphplan

import (
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
)

// ContextKey under which the plan travels from step to step.
const ContextKey = "plan.dynamo.nvidia.com"

// Version of the document. The function packages of one chain are updated one by one, so a step refuses a version that
// it does not know rather than guess. Steps that know version 1 do not compare releases.
const Version = 2

// Orchestrator that runs the pods of a graph.
type Orchestrator string

// The orchestrators.
const (
	Grove           Orchestrator = "Grove"
	LeaderWorkerSet Orchestrator = "LeaderWorkerSet"
	Deployment      Orchestrator = "Deployment"
)

// Plan is what step plan decided for one graph.
type Plan struct {
	// Version of the document.
	Version int `json:"version"`

	// Release of the step plan that wrote it. Steps of other releases refuse it.
	Release string `json:"release"`

	// Orchestrator that runs the pods.
	Orchestrator Orchestrator `json:"orchestrator"`

	// Grove is set when the orchestrator is Grove.
	Grove *GrovePlan `json:"grove,omitempty"`

	// LWS is set when the orchestrator is LeaderWorkerSet.
	LWS LWSPlan `json:"lws,omitzero"`

	// Services by name as the user spells it.
	Services map[string]Service `json:"services"`

	// ComposedPVCs are the names of the PersistentVolumeClaims that belong to the graph. All others existed before it.
	ComposedPVCs []string `json:"composedPVCs,omitempty"`

	// WaitForLeader says that some pod mounts the script with which workers wait for their leader.
	WaitForLeader bool `json:"waitForLeader,omitempty"`

	// SSHSecret is the name of the Secret whose key pair the chain looks after. Empty: none is needed, or the user brings
	// one under a name of its own.
	SSHSecret string `json:"sshSecret,omitempty"`

	// Infrastructure that every pod is told of.
	Infrastructure Infrastructure `json:"infrastructure,omitzero"`

	// IngressDefaults of frontends.
	IngressDefaults IngressDefaults `json:"ingressDefaults,omitzero"`

	// Serves are the kinds beyond Kubernetes' own that the graph asks for and the cluster serves, sorted: KindInferencePool,
	// KindVirtualService, KindHTTPRoute. One that is not in it is not composed.
	Serves []string `json:"serves,omitempty"`

	// ImagePullSecrets are added to pods with an image of their registry.
	ImagePullSecrets []RegistrySecret `json:"imagePullSecrets,omitempty"`

	// Topology is set when the graph has a topology constraint.
	Topology *Topology `json:"topology,omitempty"`

	// MNNVL is what is decided about multi-node NVLink.
	MNNVL MNNVL `json:"mnnvl,omitzero"`

	// Children of the PodCliqueSet by the service that they run, as the cluster has them. A service without one has none
	// yet.
	Children map[string]Child `json:"children,omitempty"`

	// Restart is set once the pods of the graph have been restarted, or are to be.
	Restart *Restart `json:"restart,omitempty"`

	// Lost are the objects of the graph that exist and that Crossplane does not observe, sorted by their keys: the composite
	// resource has lost its references to them. Every step takes them for observed.
	Lost []LostObject `json:"lost,omitempty"`

	// TotalGPUs that the graph asks for.
	TotalGPUs int64 `json:"totalGPUs"`

	// Held says that the graph is kept exactly as it is, and why: what is desired already is all of it, and no step may change
	// that. Nothing else is planned then.
	Held string `json:"held,omitempty"`
}

// LostObject is an object in the namespace of the graph.
type LostObject struct {
	// Key under which the object was composed.
	Key string `json:"key"`

	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
}

// Child is the PodClique of a single-node service, or the PodCliqueScalingGroup of a multinode one: Grove makes it from
// the PodCliqueSet, and it alone has the number of replicas that counts.
type Child struct {
	// Kind is PodClique or PodCliqueScalingGroup.
	Kind string `json:"kind"`
	Name string `json:"name"`

	// Generation of the child, and the last one that Grove has acted upon; nil before it has.
	Generation         int64  `json:"generation"`
	ObservedGeneration *int64 `json:"observedGeneration,omitempty"`

	// SpecReplicas are wanted; the others are counted.
	SpecReplicas      int32 `json:"specReplicas"`
	Replicas          int32 `json:"replicas"`
	UpdatedReplicas   int32 `json:"updatedReplicas"`
	ReadyReplicas     int32 `json:"readyReplicas"`
	AvailableReplicas int32 `json:"availableReplicas"`
	ScheduledReplicas int32 `json:"scheduledReplicas"`

	// Problem is what Grove says is wrong with the child. Empty: nothing.
	Problem string `json:"trouble,omitempty"`

	// Update is the rolling update of the child that is under way; nil when there is none.
	Update *ChildUpdate `json:"update,omitempty"`
}

// ChildUpdate is a rolling update of a child.
type ChildUpdate struct {
	// Selected is how many pods of a PodClique the update has replaced so far because it was their turn, including the one that it
	// replaces now. It goes on once as many pods of the new template are ready.
	Selected int32 `json:"selected,omitempty"`

	// Written is when Grove last wrote the status of the child, as RFC 3339 has it. Empty: the child does not say.
	Written string `json:"written,omitempty"`
}

// GrovePlan is what is decided for the Grove path.
type GrovePlan struct {
	// TerminationDelay of gangs as Grove writes durations, such as 15m0s.
	TerminationDelay string `json:"terminationDelay"`

	// SchedulerName of pods that name no scheduler themselves. Empty: the cluster's default.
	SchedulerName string `json:"schedulerName,omitempty"`

	// Queue of pods that get SchedulerName.
	Queue string `json:"queue,omitempty"`

	// AutoMNNVL is the value of annotation grove.io/auto-mnnvl on the PodCliqueSet. Empty: it has none.
	AutoMNNVL string `json:"autoMNNVL,omitempty"`

	// MNNVLGroup is the value of annotation grove.io/mnnvl-group on the PodCliqueSet. Empty: it has none.
	MNNVLGroup string `json:"mnnvlGroup,omitempty"`

	// MNNVLGroups are the values of the same annotation on the scaling group or the clique of a service, by service.
	MNNVLGroups map[string]string `json:"mnnvlGroups,omitempty"`
}

// LWSPlan is what is decided for LeaderWorkerSets.
type LWSPlan struct {
	// Gang of each LeaderWorkerSet.
	Gang Gang `json:"gang,omitzero"`
}

// GangProvider is who makes the gang of a LeaderWorkerSet.
type GangProvider string

// The gang providers.
const (
	// GangPodGroup is a Volcano PodGroup that the chain composes.
	GangPodGroup GangProvider = "PodGroup"
	// GangLWS is a Volcano PodGroup that the LWS operator makes.
	GangLWS GangProvider = "LWS"
	// GangKAI is the KAI scheduler, which groups the pods of a LeaderWorkerSet by itself.
	GangKAI GangProvider = "KAI"
)

// The schedulers that place all pods of a gang or none.
const (
	KAIScheduler     = "kai-scheduler"
	VolcanoScheduler = "volcano"
)

// Gang is how the pods of one LeaderWorkerSet are scheduled together.
type Gang struct {
	Provider      GangProvider `json:"provider"`
	SchedulerName string       `json:"schedulerName"`
	Queue         string       `json:"queue"`
}

// Schedules reports whether a pod that names this scheduler, or none, is part of the gang.
func (g Gang) Schedules(schedulerName string) bool {
	return schedulerName == "" || schedulerName == g.SchedulerName
}

// Service is what is decided for one service.
type Service struct {
	// Framework of a worker. Empty: none.
	Framework v1alpha1.BackendFramework `json:"framework,omitempty"`

	// Executor with which a vLLM engine spans nodes: ray or mp.
	Executor string `json:"executor,omitempty"`

	// Discovery backend: kubernetes or etcd.
	Discovery string `json:"discovery"`

	// DynamoNamespace of the service.
	DynamoNamespace string `json:"dynamoNamespace"`

	// Host under which a live frontend stays reachable although its ingress block makes another one now.
	Host string `json:"host,omitempty"`

	// ScalingAdapter says that the service has a DynamoGraphDeploymentScalingAdapter.
	ScalingAdapter bool `json:"scalingAdapter,omitempty"`

	// Written is a hash of what the user has written for the pods of the service, the last restart that has reached it included.
	// While it is the same, the user has not changed them.
	Written string `json:"written,omitempty"`
}

// Infrastructure that every pod is told of through environment variables. What is empty is not set.
type Infrastructure struct {
	NATSAddress        string `json:"natsAddress,omitempty"`
	EtcdAddress        string `json:"etcdAddress,omitempty"`
	ModelExpressURL    string `json:"modelExpressURL,omitempty"`
	PrometheusEndpoint string `json:"prometheusEndpoint,omitempty"`
}

// IngressDefaults of frontends.
type IngressDefaults struct {
	ClassName     string `json:"className,omitempty"`
	HostSuffix    string `json:"hostSuffix,omitempty"`
	TLSSecretName string `json:"tlsSecretName,omitempty"`

	// VirtualServiceGateway is the Istio gateway of VirtualServices.
	VirtualServiceGateway string `json:"virtualServiceGateway,omitempty"`

	// Gateway of HTTPRoutes.
	Gateway Gateway `json:"gateway,omitzero"`

	// AllowedAnnotations are the annotations of a user that are set.
	AllowedAnnotations []string `json:"allowedAnnotations,omitempty"`
}

// Gateway is a Gateway of the Gateway API, or one listener of it.
type Gateway struct {
	Name        string `json:"name"`
	Namespace   string `json:"namespace,omitempty"`
	SectionName string `json:"sectionName,omitempty"`
}

// RegistrySecret is the pull secret of a registry.
type RegistrySecret struct {
	// Registry is the host, and the port if any, as it stands in the normal form of an image's name.
	Registry   string `json:"registry"`
	SecretName string `json:"secretName"`
}

// Kinds that a cluster may not serve.
const (
	KindInferencePool  = "InferencePool"
	KindVirtualService = "VirtualService"
	KindHTTPRoute      = "HTTPRoute"
)

// TopologyDialect is the form in which a version of Grove takes topology constraints.
type TopologyDialect string

// The dialects.
const (
	// DialectPackDomain is {packDomain}, before v0.1.0-alpha.9.
	DialectPackDomain TopologyDialect = "PackDomain"
	// DialectPackDomainWithTopologyName is {topologyName, packDomain}, in v0.1.0-alpha.9.
	DialectPackDomainWithTopologyName TopologyDialect = "PackDomainWithTopologyName"
	// DialectPack is {topologyName, pack: {required, preferred}}, since v0.1.0-alpha.10.
	DialectPack TopologyDialect = "Pack"
)

// Topology is how the graph's topology constraints are written.
type Topology struct {
	// Name of the topology, which is the graph's topologyProfile.
	Name string `json:"name"`

	// Dialect in which the constraints are written. Empty: none is written on Grove.
	Dialect TopologyDialect `json:"dialect"`

	// Missing are the domains of the graph that the topology does not have, sorted. Not empty only for a graph that
	// existed before they went away.
	Missing []string `json:"missing,omitempty"`

	// NotFound says that the topology itself went away.
	NotFound bool `json:"notFound,omitempty"`

	// Undefined says that nothing here could define a topology of that name: Grove is not installed, and the platform has no
	// profile of that name.
	Undefined bool `json:"undefined,omitempty"`

	// Preferred is the domain that the graph as a whole prefers on Grove.
	Preferred string `json:"preferred,omitempty"`

	// PreferredDomains are those that services prefer on Grove, by service.
	PreferredDomains map[string]string `json:"preferredDomains,omitempty"`

	// Unwritten says that no constraint of the graph is written, so that Grove has none to report on: it only prefers domains,
	// and this version does not know them.
	Unwritten bool `json:"unwritten,omitempty"`

	// RecordName says that the PodCliqueSet is marked with the name, since its constraints do not hold it.
	RecordName bool `json:"recordName,omitempty"`

	// KAITopology is the name of the KAI scheduler's own topology, by which LeaderWorkerSets are packed.
	KAITopology string `json:"kaiTopology,omitempty"`

	// Placements on LeaderWorkerSets by service: how each of its replicas is packed. Services that are not packed are not in
	// it.
	Placements map[string]Placement `json:"placements,omitempty"`
}

// Placement is how each replica of a service is packed on LeaderWorkerSets.
type Placement struct {
	// Domain and PreferredDomain are what the sets are marked with. Both are empty where the sets are from before they were
	// marked.
	Domain          string `json:"domain,omitempty"`
	PreferredDomain string `json:"preferredDomain,omitempty"`

	// RequiredLabel and PreferredLabel are the node labels by which the KAI scheduler packs.
	RequiredLabel  string `json:"requiredLabel,omitempty"`
	PreferredLabel string `json:"preferredLabel,omitempty"`

	// Network is what Volcano is told.
	Network *NetworkTopology `json:"network,omitempty"`
}

// NetworkTopology of a PodGroup of Volcano, with Volcano's names. Its webhook refuses both tiers together.
type NetworkTopology struct {
	// Mode is hard or soft.
	Mode               string `json:"mode,omitempty"`
	HighestTierName    string `json:"highestTierName,omitempty"`
	HighestTierAllowed *int   `json:"highestTierAllowed,omitempty"`
}

// MNNVLMode is who gives the GPU pods of a graph their NVLink domain.
type MNNVLMode string

// The modes. The zero value is none of them: the graph has no domain.
const (
	// MNNVLAuto are ComputeDomains that the chain composes.
	MNNVLAuto MNNVLMode = "Auto"
	// MNNVLGrove is Grove's own feature.
	MNNVLGrove MNNVLMode = "Grove"
	// MNNVLDisabled is how the status says that a graph has no domain, so that step plan remembers that this is decided. A
	// plan has no mode instead.
	MNNVLDisabled MNNVLMode = "Disabled"
)

// MNNVLScope is what shares one ComputeDomain.
type MNNVLScope string

// The scopes.
const (
	// ScopeGraph is one domain for the graph.
	ScopeGraph MNNVLScope = "Graph"
	// ScopeReplica is one domain for each replica of a multinode service on LeaderWorkerSets.
	ScopeReplica MNNVLScope = "Replica"
)

// MNNVL is what is decided about multi-node NVLink.
type MNNVL struct {
	// Mode in which the graph has domains. Empty: it has none.
	Mode MNNVLMode `json:"mode,omitempty"`

	// Scope of a domain. Only in mode Auto.
	Scope MNNVLScope `json:"scope,omitempty"`

	// Members are the services whose GPU containers claim a channel of their domain, by name. Only in mode Auto. A graph in
	// which no service is a member any more keeps its domain.
	Members map[string]MNNVLMember `json:"members,omitempty"`
}

// MNNVLMember is a service that claims channels.
type MNNVLMember struct {
	// GPUs are the resource names that make a container a GPU container, sorted.
	GPUs []string `json:"gpus"`

	// GPUClaim is the claim of the pod by which containers share its GPUs. Those that use it are GPU containers too. Empty:
	// there is none.
	GPUClaim string `json:"gpuClaim,omitempty"`

	// RequireClique says that the pods only go to nodes that are part of an NVLink clique.
	RequireClique bool `json:"requireClique,omitempty"`
}

// Kubernetes is the discovery backend that needs no server other than Kubernetes.
const Kubernetes = "kubernetes"

// UsesKubernetesDiscovery reports whether any service is discovered through Kubernetes.
func (p *Plan) UsesKubernetesDiscovery() bool {
	for _, service := range p.Services {
		if service.Discovery == Kubernetes {
			return true
		}
	}
	return false
}
