// Package graphplan contains the plan: the small document in which step plan passes its decisions to the other steps. It contains neither
// pod specs nor secrets.
package graphplan

import (
	corev1 "k8s.io/api/core/v1"

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

	// KueueQueue is the LocalQueue in which Kueue holds the pods until there is quota for them. Empty if it does not hold them.
	KueueQueue string `json:"kueueQueue,omitempty"`

	// KueuePriority is the WorkloadPriorityClass of the graph in this queue. An empty text stands for the default.
	KueuePriority string `json:"kueuePriority,omitempty"`

	// MinReadySeconds of Deployments.
	MinReadySeconds int32 `json:"minReadySeconds,omitempty"`

	// Components by name, as spelled by the user.
	Components map[string]Component `json:"services"`

	// ComposedPVCs are the names of the PersistentVolumeClaims that belong to the graph. All others existed before it.
	ComposedPVCs []string `json:"composedPVCs,omitempty"`

	// WaitForLeader says that some pod mounts the script that makes workers wait for their leader.
	WaitForLeader bool `json:"waitForLeader,omitempty"`

	// SSHSecret is the name of the Secret whose key pair the chain manages. Empty if none is needed, or the user provides one with another
	// name.
	SSHSecret string `json:"sshSecret,omitempty"`

	// Infrastructure for the environment variables of every pod.
	Infrastructure Infrastructure `json:"infrastructure,omitzero"`

	// IngressDefaults of frontends.
	IngressDefaults IngressDefaults `json:"ingressDefaults,omitzero"`

	// Serves are the kinds other than those of Kubernetes that the graph requests and the cluster serves, sorted: those of package
	// networking. Other kinds are not composed.
	Serves []string `json:"serves,omitempty"`

	// Claims of pods, as far as they are known.
	Claims Claims `json:"claims,omitempty"`

	// WorkerGeneration is the suffix of the Dynamo namespace of all workers, which changes when the user changes the pods of any of them. It is empty if
	// they have no suffix.
	WorkerGeneration string `json:"workerGeneration,omitempty"`

	// PoolByClass says that the InferencePool selects workers by their class, which all their pods have, and not by their type.
	PoolByClass bool `json:"poolByClass,omitempty"`

	// Pool of the Endpoint Picker. nil if there is none.
	Pool *Pool `json:"pool,omitempty"`

	// EndpointPickerTLS is how a service mesh calls the Endpoint Picker. nil if the platform does not specify it.
	EndpointPickerTLS *MeshTLS `json:"endpointPickerTLS,omitempty"`

	// ImagePullSecrets are added to pods with an image from their registry.
	ImagePullSecrets []RegistrySecret `json:"imagePullSecrets,omitempty"`

	// DefaultResources of main containers for which the user requests none.
	DefaultResources Resources `json:"defaultResources,omitzero"`

	// PodSecurityContext of pods whose user sets none. nil means the default, and one without fields means none.
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

	// Children of the PodCliqueSet in the cluster, by the component that they run. A component without an entry has no child yet.
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

	// Held is the reason why the graph is kept unchanged: the desired state is already complete, and no step may change it. The plan then contains no
	// other decisions. Empty if the graph is not held.
	Held string `json:"held,omitempty"`
}

// GrovePlan contains the decisions for Grove.
type GrovePlan struct {
	// TerminationDelay of gangs in Grove's format of durations, such as 15m0s.
	TerminationDelay string `json:"terminationDelay"`

	// SchedulerName of pods that specify no scheduler. An empty text stands for the default of the cluster.
	SchedulerName string `json:"schedulerName,omitempty"`

	// Queue of pods with SchedulerName. An empty text stands for the default of the scheduler, or the one in the annotations of the spec.
	Queue string `json:"queue,omitempty"`

	// AutoMNNVL is the value of annotation grove.io/auto-mnnvl on the PodCliqueSet. Empty if it has none.
	AutoMNNVL string `json:"autoMNNVL,omitempty"`

	// MNNVLGroup is the value of annotation grove.io/mnnvl-group on the PodCliqueSet. Empty if it has none.
	MNNVLGroup string `json:"mnnvlGroup,omitempty"`

	// MNNVLGroups are the values of the same annotation on the scaling group or the clique of a component, by component.
	MNNVLGroups map[string]string `json:"mnnvlGroups,omitempty"`
}

// LWSPlan contains the decisions for LeaderWorkerSets.
type LWSPlan struct {
	// Gang of each LeaderWorkerSet.
	Gang Gang `json:"gang,omitzero"`
}

// Kubernetes is the discovery backend that needs no server other than Kubernetes.
const Kubernetes = "kubernetes"

// UsesKubernetesDiscovery reports whether any component is discovered through Kubernetes.
func (p *Plan) UsesKubernetesDiscovery() bool {
	for _, component := range p.Components {
		if component.Discovery == Kubernetes {
			return true
		}
	}
	return false
}
