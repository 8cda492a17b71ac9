// Package graphplan contains the plan: the small document in which step plan passes its decisions to the other steps. It contains neither
// pod specs nor secrets.
package graphplan

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
)

// ContextKey of the plan in the pipeline context.
const ContextKey = "plan.dynamo.nvidia.com"

// Version of the document. The function packages of a chain are updated one after the other, so a step refuses a version that it does not
// know. Steps that know version 1 do not compare releases.
const Version = 2

// Orchestrator that runs the pods of a graph.
type Orchestrator string

// The orchestrators.
const (
	Grove           Orchestrator = "Grove"
	LeaderWorkerSet Orchestrator = "LeaderWorkerSet"
	Deployment      Orchestrator = "Deployment"
)

// Plan contains the decisions of step plan for one graph.
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

	// KueueQueue is the LocalQueue in which Kueue holds the pods until there is quota for them. Empty: it does not hold them.
	KueueQueue string `json:"kueueQueue,omitempty"`

	// Services by name, as spelled by the user.
	Services map[string]Service `json:"services"`

	// ComposedPVCs are the names of the PersistentVolumeClaims that belong to the graph. All others existed before it.
	ComposedPVCs []string `json:"composedPVCs,omitempty"`

	// WaitForLeader says that some pod mounts the script that makes workers wait for their leader.
	WaitForLeader bool `json:"waitForLeader,omitempty"`

	// SSHSecret is the name of the Secret whose key pair the chain manages. Empty: none is needed, or the user provides one with another
	// name.
	SSHSecret string `json:"sshSecret,omitempty"`

	// Infrastructure for the environment variables of every pod.
	Infrastructure Infrastructure `json:"infrastructure,omitzero"`

	// IngressDefaults of frontends.
	IngressDefaults IngressDefaults `json:"ingressDefaults,omitzero"`

	// Serves are the kinds other than those of Kubernetes that the graph requests and the cluster serves, sorted: KindInferencePool,
	// KindVirtualService, KindHTTPRoute, KindDestinationRule. Other kinds are not composed.
	Serves []string `json:"serves,omitempty"`

	// WorkerGeneration is the suffix of the Dynamo namespace of all workers, which changes when the user changes the pods of any of them.
	// Empty: they have no suffix.
	WorkerGeneration string `json:"workerGeneration,omitempty"`

	// PoolByClass says that the InferencePool selects workers by their class, which all their pods have, and not by their type.
	PoolByClass bool `json:"poolByClass,omitempty"`

	// EndpointPickerTLS is how a service mesh calls the Endpoint Picker. nil if the platform does not specify it.
	EndpointPickerTLS *MeshTLS `json:"endpointPickerTLS,omitempty"`

	// ImagePullSecrets are added to pods with an image from their registry.
	ImagePullSecrets []RegistrySecret `json:"imagePullSecrets,omitempty"`

	// DefaultResources of main containers for which the user requests none.
	DefaultResources Resources `json:"defaultResources,omitzero"`

	// PodSecurityContext of pods whose user sets none. nil: the default. Without fields: none.
	PodSecurityContext *corev1.PodSecurityContext `json:"podSecurityContext,omitempty"`

	// Topology is set when the graph has a topology constraint.
	Topology *Topology `json:"topology,omitempty"`

	// TopologyLabels are the labels in which pods of workers find the topology domains of their node. Only with a policy for the transfer of
	// KV caches.
	TopologyLabels []TopologyLabel `json:"topologyLabels,omitempty"`

	// Restore is how pods are restored from checkpoints. Only in graphs that refer to a checkpoint.
	Restore *Restore `json:"restore,omitempty"`

	// MNNVL is the decision about multi-node NVLink.
	MNNVL MNNVL `json:"mnnvl,omitzero"`

	// Children of the PodCliqueSet in the cluster, by the service that they run. A service without an entry has no child yet.
	Children map[string]Child `json:"children,omitempty"`

	// Restart is set if the pods of the graph have been restarted, or will be.
	Restart *Restart `json:"restart,omitempty"`

	// Lost are the objects of the graph that exist but that Crossplane does not observe, sorted by their keys: the composite resource has
	// lost its references to them, or it adopts them. Every step treats them as observed.
	Lost []LostObject `json:"lost,omitempty"`

	// AdoptedNames are the names of objects that the graph has adopted, where they differ from those that it would give them.
	AdoptedNames *names.Adoption `json:"adoptedNames,omitempty"`

	// TotalGPUs that the graph requests.
	TotalGPUs int64 `json:"totalGPUs"`

	// Held is the reason why the graph is kept unchanged: the desired state is already complete, and no step may change it. The plan then
	// contains no other decisions. Empty: the graph is not held.
	Held string `json:"held,omitempty"`
}

// LostObject is an object in the namespace of the graph.
type LostObject struct {
	// Key under which the object was composed.
	Key string `json:"key"`

	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`

	// Adopted says that the object was not composed for the graph, which takes it over from another controller.
	Adopted bool `json:"adopted,omitempty"`
}

// Child is the PodClique of a single-node service, or the PodCliqueScalingGroup of a multinode service. Grove creates it from the
// PodCliqueSet, and it determines the number of replicas.
type Child struct {
	// Kind is PodClique or PodCliqueScalingGroup.
	Kind string `json:"kind"`
	Name string `json:"name"`

	// Generation of the child, and the last one that Grove has processed. nil if it has processed none.
	Generation         int64  `json:"generation"`
	ObservedGeneration *int64 `json:"observedGeneration,omitempty"`

	// SpecReplicas are requested; the others are counted.
	SpecReplicas      int32 `json:"specReplicas"`
	Replicas          int32 `json:"replicas"`
	UpdatedReplicas   int32 `json:"updatedReplicas"`
	ReadyReplicas     int32 `json:"readyReplicas"`
	AvailableReplicas int32 `json:"availableReplicas"`
	ScheduledReplicas int32 `json:"scheduledReplicas"`

	// ScheduleGatedReplicas are pods of a PodClique that are not handed to the scheduler yet.
	ScheduleGatedReplicas int32 `json:"scheduleGatedReplicas,omitempty"`

	// Unscheduled is how Grove says that pods are waiting to be scheduled. Empty: they are not, or it does not say so.
	Unscheduled string `json:"unscheduled,omitempty"`

	// Problem other than that which Grove reports for the child. Empty: none.
	Problem string `json:"problem,omitempty"`

	// Update is the current rolling update of the child. nil if there is none.
	Update *ChildUpdate `json:"update,omitempty"`
}

// ChildUpdate is a rolling update of a child.
type ChildUpdate struct {
	// Selected is how many pods of a PodClique the update has replaced in turn so far, including the current one. The update continues when
	// as many pods of the new template are ready.
	Selected int32 `json:"selected,omitempty"`

	// Written is when Grove last wrote the status of the child, in the format of RFC 3339. Empty: it is not known.
	Written string `json:"written,omitempty"`
}

// GrovePlan contains the decisions for Grove.
type GrovePlan struct {
	// TerminationDelay of gangs in Grove's format of durations, such as 15m0s.
	TerminationDelay string `json:"terminationDelay"`

	// SchedulerName of pods that specify no scheduler. Empty: the default of the cluster.
	SchedulerName string `json:"schedulerName,omitempty"`

	// Queue of pods with SchedulerName. Empty: the default of the scheduler, or the one in the annotations of the spec.
	Queue string `json:"queue,omitempty"`

	// AutoMNNVL is the value of annotation grove.io/auto-mnnvl on the PodCliqueSet. Empty: it has none.
	AutoMNNVL string `json:"autoMNNVL,omitempty"`

	// MNNVLGroup is the value of annotation grove.io/mnnvl-group on the PodCliqueSet. Empty: it has none.
	MNNVLGroup string `json:"mnnvlGroup,omitempty"`

	// MNNVLGroups are the values of the same annotation on the scaling group or the clique of a service, by service.
	MNNVLGroups map[string]string `json:"mnnvlGroups,omitempty"`
}

// LWSPlan contains the decisions for LeaderWorkerSets.
type LWSPlan struct {
	// Gang of each LeaderWorkerSet.
	Gang Gang `json:"gang,omitzero"`
}

// GangProvider creates the gang of a LeaderWorkerSet.
type GangProvider string

// The gang providers.
const (
	// GangPodGroup is a Volcano PodGroup that the chain composes.
	GangPodGroup GangProvider = "PodGroup"
	// GangLWS is a Volcano PodGroup that the LWS operator creates.
	GangLWS GangProvider = "LWS"
	// GangKAI is the KAI scheduler, which groups the pods of a LeaderWorkerSet itself.
	GangKAI GangProvider = "KAI"
	// GangKubernetes is a PodGroup of Kubernetes itself that the chain composes.
	GangKubernetes GangProvider = "Kubernetes"
	// GangKueue is Kueue, which admits the pods of a LeaderWorkerSet together. It changes nothing of their scheduler.
	GangKueue GangProvider = "Kueue"
)

// The schedulers that place all pods of a gang or none.
const (
	KAIScheduler     = "kai-scheduler"
	VolcanoScheduler = "volcano"

	// KueueScheduler is how Grove calls its backend for Kueue.
	KueueScheduler = "kueue"

	// KubernetesScheduler is that of pods that name none. It does so for pods that name a PodGroup.
	KubernetesScheduler = "default-scheduler"
)

// Gang is how the pods of one LeaderWorkerSet are scheduled together.
type Gang struct {
	Provider      GangProvider `json:"provider"`
	SchedulerName string       `json:"schedulerName"`
	Queue         string       `json:"queue"`
}

// Schedules reports whether a pod with this scheduler, or with none, is part of the gang.
func (g Gang) Schedules(schedulerName string) bool {
	return schedulerName == "" || schedulerName == g.SchedulerName
}

// Places reports whether the pods of a service with this scheduler, or with none, are scheduled as gangs, which those that Kueue admits are
// not. A PodGroup is that of one replica, and replicas that run in one LeaderWorkerSet have the same pod template, which can only name one.
func (g Gang) Places(n names.Graph, service, schedulerName string) bool {
	if g.Provider == GangKueue {
		return false
	}
	composed := g.Provider == GangPodGroup || g.Provider == GangKubernetes
	return g.Schedules(schedulerName) && (!composed || !n.InOneSet(service))
}

// Groups reports whether the chain composes a PodGroup of Volcano for each replica of a service whose pods have this scheduler, or none. The
// pods name their PodGroup in an annotation.
func (g Gang) Groups(n names.Graph, service, schedulerName string) bool {
	return g.Provider == GangPodGroup && g.Places(n, service, schedulerName)
}

// GroupsNatively reports whether the chain composes a PodGroup of Kubernetes for each of these replicas instead. The pods name it in a field.
func (g Gang) GroupsNatively(n names.Graph, service, schedulerName string) bool {
	return g.Provider == GangKubernetes && g.Places(n, service, schedulerName)
}

// Service contains the decisions for one service.
type Service struct {
	// Quota is why Kueue holds a replica that spans nodes, as the reason of a condition. Empty: it holds none, or nobody knows.
	Quota string `json:"quota,omitempty"`

	// Framework of a worker. Empty: none.
	Framework v1alpha1.BackendFramework `json:"framework,omitempty"`

	// Executor with which a vLLM engine spans nodes: ray or mp.
	Executor string `json:"executor,omitempty"`

	// ExecutorFrom says who has decided it. Empty: there is no executor.
	ExecutorFrom ExecutorSource `json:"executorFrom,omitempty"`

	// Discovery backend: kubernetes or etcd.
	Discovery string `json:"discovery"`

	// DynamoNamespace of the service.
	DynamoNamespace string `json:"dynamoNamespace"`

	// Host at which a live frontend stays reachable although its ingress block now results in a different one.
	Host string `json:"host,omitempty"`

	// ScalingAdapter says that the service has a DynamoGraphDeploymentScalingAdapter.
	ScalingAdapter bool `json:"scalingAdapter,omitempty"`

	// RuntimeVersion is the release of Dynamo in the image of the service, which its pods have to fit. Empty: the one that is assumed.
	RuntimeVersion runtime.Version `json:"runtimeVersion,omitempty"`

	// SidecarVersion is the release in the image of the frontend sidecar. Empty: that of the service.
	SidecarVersion runtime.Version `json:"sidecarVersion,omitempty"`

	// WeightServers says that the weights of the service are in pods of their own, which the pods of its engines share.
	WeightServers bool `json:"weightServers,omitempty"`

	// RuntimeContainer says that the runtime of Dynamo is in an init container, beside the engine in the main container.
	RuntimeContainer bool `json:"runtimeContainer,omitempty"`

	// Replicas are those that the scaling adapter of the service asks for. They count instead of those in the graph. nil: there is no adapter
	// yet.
	Replicas *int32 `json:"replicas,omitempty"`

	// Checkpoint to which the service refers. nil: it refers to none.
	Checkpoint *Checkpoint `json:"checkpoint,omitempty"`

	// Written is a hash of what the user has written for the pods of the service, including the last restart that has reached it. As long
	// as it is the same, the user has not changed them.
	Written string `json:"written,omitempty"`
}

// Checkpoint is the stored state of a warm process.
type Checkpoint struct {
	// Name of the PodSnapshot to which the service refers. Empty: it refers to none, and the graph creates one for each pod template.
	Name string `json:"name"`

	// Creates says that the graph has the state of the pods of the service stored, of each pod template once.
	Creates bool `json:"creates,omitempty"`

	// Stored are the states that the graph has had stored, from which pods with the same template are restored.
	Stored []StoredTemplate `json:"stored,omitempty"`

	// ID under which the state is stored, and the version of what is stored, up to v0.1.0-alpha.1 of the snapshot operator. Empty: they are not
	// known.
	ID              string `json:"id,omitempty"`
	ArtifactVersion string `json:"artifactVersion,omitempty"`

	// Captured is the container whose state is stored, since v0.1.0 of the snapshot operator. Empty: an earlier version restores the pods.
	Captured string `json:"captured,omitempty"`

	// Ready says that the state has been stored.
	Ready bool `json:"ready,omitempty"`

	// Restores says that pods that are built now are restored from the checkpoint. Otherwise they start cold.
	Restores bool `json:"restores,omitempty"`
}

// StoredTemplate is the stored state of pods with a template.
type StoredTemplate struct {
	// Template is the hash of the template as it was before anything was stored.
	Template string `json:"template"`

	// PodSnapshot is the name of the state.
	PodSnapshot string `json:"podSnapshot"`
}

// Restore is how pods are restored from checkpoints.
type Restore struct {
	// SeccompProfile of the pods, a path on the node. Empty: they keep their own.
	SeccompProfile string `json:"seccompProfile,omitempty"`

	// ClaimName of the storage that pods mount, and the path. Empty: they do not mount it.
	ClaimName string `json:"claimName,omitempty"`
	BasePath  string `json:"basePath,omitempty"`
}

// Infrastructure is passed to every pod in environment variables. Variables of empty fields are not set.
type Infrastructure struct {
	NATSAddress        string `json:"natsAddress,omitempty"`
	EtcdAddress        string `json:"etcdAddress,omitempty"`
	ModelExpressURL    string `json:"modelExpressURL,omitempty"`
	PrometheusEndpoint string `json:"prometheusEndpoint,omitempty"`

	// Paths of certificates in the pods, and the name that TCP clients expect in those of servers.
	NATSTLSCAPath         string `json:"natsTLSCAPath,omitempty"`
	NATSTLSClientCertPath string `json:"natsTLSClientCertPath,omitempty"`
	NATSTLSClientKeyPath  string `json:"natsTLSClientKeyPath,omitempty"`
	TCPTLSCertPath        string `json:"tcpTLSCertPath,omitempty"`
	TCPTLSKeyPath         string `json:"tcpTLSKeyPath,omitempty"`
	TCPTLSCAPath          string `json:"tcpTLSCAPath,omitempty"`
	TCPTLSClientCertPath  string `json:"tcpTLSClientCertPath,omitempty"`
	TCPTLSClientKeyPath   string `json:"tcpTLSClientKeyPath,omitempty"`
	TCPTLSClientCAPath    string `json:"tcpTLSClientCAPath,omitempty"`
	TCPTLSServerName      string `json:"tcpTLSServerName,omitempty"`
}

// MeshTLS is how proxies of a service mesh connect to a Service.
type MeshTLS struct {
	Mode               string `json:"mode"`
	InsecureSkipVerify bool   `json:"insecureSkipVerify,omitempty"`
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

	// AllowedAnnotations are the annotations of a user that are allowed.
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
	// Registry is the host, with its port if it has one, as in the normalized name of an image.
	Registry   string `json:"registry"`
	SecretName string `json:"secretName"`
}

// Kinds that a cluster may not serve.
const (
	KindInferencePool   = "InferencePool"
	KindVirtualService  = "VirtualService"
	KindHTTPRoute       = "HTTPRoute"
	KindDestinationRule = "DestinationRule"
)

// TopologyDialect is the form in which a version of Grove accepts topology constraints.
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

// Topology is how the topology constraints of the graph are written.
type Topology struct {
	// Name of the topology, which is the graph's topologyProfile.
	Name string `json:"name"`

	// Dialect of the constraints. Empty: none are written on Grove.
	Dialect TopologyDialect `json:"dialect"`

	// Missing are the domains of the graph that the topology does not have, sorted. It is only set for a graph that was created before they
	// were removed.
	Missing []string `json:"missing,omitempty"`

	// NotFound says that the topology itself was removed.
	NotFound bool `json:"notFound,omitempty"`

	// Undefined says that nothing could define a topology with that name: Grove is not installed, and the platform has no profile with that
	// name.
	Undefined bool `json:"undefined,omitempty"`

	// Preferred is the preferred domain of the graph as a whole on Grove.
	Preferred string `json:"preferred,omitempty"`

	// PreferredDomains are the preferred domains of services on Grove, by service.
	PreferredDomains map[string]string `json:"preferredDomains,omitempty"`

	// Unwritten says that no constraint of the graph is written, so that Grove reports on none: the graph only has preferred domains, which
	// this version of Grove does not support.
	Unwritten bool `json:"unwritten,omitempty"`

	// RecordName says that the PodCliqueSet is annotated with the name, because its constraints do not contain it.
	RecordName bool `json:"recordName,omitempty"`

	// KAITopology is the name of the KAI scheduler's own topology, by which LeaderWorkerSets are packed.
	KAITopology string `json:"kaiTopology,omitempty"`

	// Placements on LeaderWorkerSets by service: how each of its replicas is packed. Services that are not packed have no entry.
	Placements map[string]Placement `json:"placements,omitempty"`

	// MissingTiers are the tiers of these placements that no HyperNode of Volcano has, by service, as the spec of a HyperNode would have them.
	MissingTiers map[string]string `json:"missingTiers,omitempty"`
}

// TopologyLabel is a topology domain, and the label that its value has on nodes and on pods.
type TopologyLabel struct {
	Domain string `json:"domain"`
	Key    string `json:"key"`
}

// Placement is how each replica of a service is packed on LeaderWorkerSets.
type Placement struct {
	// Domain and PreferredDomain are in the annotations of the LeaderWorkerSets. Both are empty if the LeaderWorkerSets were created before
	// there were annotations.
	Domain          string `json:"domain,omitempty"`
	PreferredDomain string `json:"preferredDomain,omitempty"`

	// RequiredLabel and PreferredLabel are the node labels by which the KAI scheduler packs.
	RequiredLabel  string `json:"requiredLabel,omitempty"`
	PreferredLabel string `json:"preferredLabel,omitempty"`

	// Network is the constraint for Volcano.
	Network *NetworkTopology `json:"network,omitempty"`
}

// NetworkTopology of a PodGroup of Volcano, with the names of Volcano. Its webhook refuses both tiers together.
type NetworkTopology struct {
	// Mode is hard or soft.
	Mode               string `json:"mode,omitempty"`
	HighestTierName    string `json:"highestTierName,omitempty"`
	HighestTierAllowed *int   `json:"highestTierAllowed,omitempty"`
}

// MNNVLMode says who creates the NVLink domains for the GPU pods of a graph.
type MNNVLMode string

// The modes. The zero value means that the graph has no domain.
const (
	// MNNVLAuto are ComputeDomains that the chain composes.
	MNNVLAuto MNNVLMode = "Auto"
	// MNNVLGrove is Grove's own feature.
	MNNVLGrove MNNVLMode = "Grove"
	// MNNVLDisabled is the value in the status of a graph without a domain, so that step plan remembers the decision. A plan has no mode
	// instead.
	MNNVLDisabled MNNVLMode = "Disabled"
)

// MNNVLScope says which pods share one ComputeDomain.
type MNNVLScope string

// The scopes.
const (
	// ScopeGraph is one domain for the graph.
	ScopeGraph MNNVLScope = "Graph"
	// ScopeReplica is one domain for each replica of a multinode service on LeaderWorkerSets.
	ScopeReplica MNNVLScope = "Replica"
)

// MNNVL contains the decisions about multi-node NVLink.
type MNNVL struct {
	// Mode in which the graph has domains. Empty: it has none.
	Mode MNNVLMode `json:"mode,omitempty"`

	// Scope of a domain. Only in mode Auto.
	Scope MNNVLScope `json:"scope,omitempty"`

	// Members are the services whose GPU containers claim a channel of their domain, by name. Only in mode Auto. A graph keeps its domain
	// even if it has no members any more.
	Members map[string]MNNVLMember `json:"members,omitempty"`
}

// MNNVLMember is a service that claims channels.
type MNNVLMember struct {
	// GPUs are the resource names that make a container a GPU container, sorted.
	GPUs []string `json:"gpus"`

	// GPUClaim is the claim of the pod through which containers share its GPUs. Containers that use it are GPU containers too. Empty: there
	// is none.
	GPUClaim string `json:"gpuClaim,omitempty"`

	// RequireClique says that the pods are restricted to nodes of an NVLink clique.
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
