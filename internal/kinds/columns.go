package kinds

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
)

// A Kind of objects. Those of a kind that is required are looked up and watched; others are also created, changed and deleted. Columns from
// Steps on are about kinds that are composed.
type Kind struct {
	schema.GroupVersionKind

	// Resource is the plural in permissions.
	Resource string

	// Keys of composed resources of the kind. One that ends with a dash is followed by the name of a component, or by what else tells them apart. None
	// means that the kind is required only.
	Keys []names.Resource

	// Purpose of the objects, as the comment on permissions to them.
	Purpose string

	// Readers are who may look at the objects in their namespace.
	Readers Readers

	// Verb that Crossplane needs beside those of other kinds.
	Verb string

	// Builtin kinds are in Crossplane's own ClusterRole, as its own kinds and what it makes for packages.
	Builtin bool

	// ByName says that lost objects of the kind are only looked up by their names, because Crossplane would cache all objects of the kind.
	ByName bool

	// Served is what a cluster needs to serve the kind. Where it does not, the kind must not be looked up, because Crossplane fails then.
	Served Served

	// Steps that compose objects of the kind.
	Steps []Step

	// Readiness is how an object is judged.
	Readiness Readiness

	// Pods is how an object contains templates of pods that serve the graph.
	Pods Pods

	// Proof that the Dynamo operator has made an object for a graph, which may then adopt it.
	Proof Proof

	// Fixed are the paths of what stays in an adopted object: fields that cannot be changed, or by which its pods are found.
	Fixed []string

	// Reaches is what an object reaches outside of its namespace, and Limits are what limits that, as docs/tenancy.md says it.
	Reaches, Limits string
}

// Readers of a kind among the tenants of a cluster.
type Readers string

// Readers.
const (
	// Viewers of graphs, by role dgd-viewer.
	Viewers Readers = "Viewers"

	// ByKubernetes are those to whom role view of Kubernetes shows objects of the kind.
	ByKubernetes Readers = "ByKubernetes"

	// Platform: the objects are in no namespace, grant permissions, or are secret.
	Platform Readers = "Platform"
)

// Served is what a cluster needs to serve a kind.
type Served string

// What clusters need. Step plan asks each of them in its own way.
const (
	// Everywhere: the kind is one of Kubernetes, in every version on which graphs run.
	Everywhere Served = ""

	WithGrove   Served = "Grove"
	WithLWS     Served = "LeaderWorkerSet"
	WithVolcano Served = "Volcano"

	// WithGangs and WithClaims are features of Kubernetes: PodGroups, and templates of claims for devices.
	WithGangs  Served = "gangs of Kubernetes"
	WithClaims Served = "dynamic resource allocation"

	// WithDomains is the NVIDIA driver for dynamic resource allocation. Usages are of its ComputeDomains only.
	WithDomains Served = "NVLink domains"

	// WithAdapters and WithSnapshots are the definition of scaling adapters, and the snapshot operator.
	WithAdapters  Served = "scaling adapters"
	WithSnapshots Served = "snapshots"

	// IfInstalled is the project that functions/plan/served names.
	IfInstalled Served = "if installed"
)

// Step that composes objects, by its name in the pipeline.
type Step string

// Steps that compose.
const (
	Foundation    Step = "foundation"
	Grove         Step = "grove"
	LWS           Step = "lws"
	ComputeDomain Step = "computedomain"
	SSHSecret     Step = "sshsecret"
	Revision      Step = "revision"
)

// Readiness is how an object is judged.
type Readiness string

// Ways to judge an object.
const (
	// Exists: it has no status, such as a ConfigMap, or a status for which no pod waits, such as the addresses of a Service or an Ingress,
	// which are never set in a cluster without a load balancer.
	Exists Readiness = "Exists"

	// ConditionReady: its condition Ready, if it has one, is True.
	ConditionReady Readiness = "ConditionReady"

	// OwnStatus is read in the file of the kind in internal/health.
	OwnStatus Readiness = "OwnStatus"
)

// Pods is how an object contains templates of pods.
type Pods string

// Forms of pod templates.
const (
	// NoPods that serve. The pod of a SnapshotJob only stores its state.
	NoPods Pods = ""

	PodTemplate          Pods = "PodTemplate"
	LeaderWorkerTemplate Pods = "LeaderWorkerTemplate"
	CliqueTemplates      Pods = "CliqueTemplates"
)

// Proof that the Dynamo operator has made an object for a graph, beside its owner reference and the annotation that replaces it.
type Proof string

// Proofs, each together with the operator as a field manager.
const (
	// NoProof: the operator makes no objects of the kind.
	NoProof Proof = ""

	// OwnerReference: nothing but an owner reference or the annotation is enough, because the object contains data.
	OwnerReference Proof = "OwnerReference"

	// Label of the graph, on the object, its pod template, that of its workers, or its cliques.
	Label        Proof = "Label"
	PodLabel     Proof = "PodLabel"
	WorkerLabel  Proof = "WorkerLabel"
	CliqueLabels Proof = "CliqueLabels"

	// AccessLabels with which the operator marks the permissions of a graph.
	AccessLabels Proof = "AccessLabels"

	// Selector of pods of the graph, in a Service or an InferencePool.
	Selector       Proof = "Selector"
	SelectorOfPool Proof = "SelectorOfPool"

	// Backends that are Services of the graph.
	Backends Proof = "Backends"

	// UsedByPods of workloads that are adopted.
	UsedByPods Proof = "UsedByPods"
)

// What objects of several kinds reach, and what limits pods.
const (
	nothing   = "nothing"
	nodes     = "nodes, with what pods request"
	queue     = "the capacity of its queue, if its scheduler has queues"
	podLimits = "guard rails, Pod Security, quotas"
)
