// Package kinds is the table of the kinds that the functions compose and require. Permissions, the search for lost objects, the keys of the
// functions, and the lists of the tests come from it, so that a kind is added in one place.
package kinds

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
)

// A Kind of objects. Those of a kind that is required are looked up and watched; others are also created, changed and deleted.
type Kind struct {
	schema.GroupVersionKind

	// Resource is the plural in permissions.
	Resource string

	// Keys of composed resources of the kind. One that ends with a dash is followed by the name of a service, or by what else tells them apart.
	// None: the kind is required only.
	Keys []string

	// Purpose of the objects, as the comment on permissions to them.
	Purpose string

	// Readers are who may look at the objects in their namespace.
	Readers Readers

	// Builtin kinds are in Crossplane's own ClusterRole, as its own kinds and what it makes for packages.
	Builtin bool

	// ByName says that lost objects of the kind are only looked up by their names, because Crossplane would cache all objects of the kind.
	ByName bool

	// verb that is needed beside those of other kinds.
	verb string
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

func kind(group, version, name, resource, purpose string, keys ...string) Kind {
	return Kind{
		GroupVersionKind: schema.GroupVersionKind{Group: group, Version: version, Kind: name}, Resource: resource, Purpose: purpose, Keys: keys, Readers: Viewers,
	}
}

func (k Kind) builtin() Kind {
	k.Builtin = true
	return k
}

func (k Kind) byName() Kind {
	k.ByName = true
	return k
}

func (k Kind) readBy(readers Readers) Kind {
	k.Readers = readers
	return k
}

func (k Kind) with(verb string) Kind {
	k.verb = verb
	return k
}

// Composed are the kinds that the functions compose.
func Composed() []Kind {
	return []Kind{
		kind("", "v1", "ConfigMap", "configmaps", "What pods mount: the configuration of an Endpoint Picker, and the script that waits for a leader.",
			string(names.KeyEPPConfigMap), string(names.KeyWaitForLeader)).builtin().readBy(ByKubernetes),
		kind("", "v1", "PersistentVolumeClaim", "persistentvolumeclaims",
			"Storage that a graph creates. Claims are looked up first, so that existing ones are not taken over.", "pvc-").readBy(ByKubernetes),
		kind("", "v1", "Secret", "secrets", "The key pair of MPI.", string(names.KeySSHSecret)).builtin().byName().readBy(Platform),
		kind("", "v1", "Service", "services", "The addresses of components.", "service-", "rayservice-").builtin().readBy(ByKubernetes),
		kind("", "v1", "ServiceAccount", "serviceaccounts", "The identities of pods.",
			string(names.KeyDiscoveryServiceAccount), string(names.KeyPlannerServiceAccount), string(names.KeyEPPServiceAccount)).builtin().readBy(ByKubernetes),
		kind("apps", "v1", "ControllerRevision", "controllerrevisions",
			"The recorded pod templates of a graph, from which docs/restart.md shows what an update would change.", "revision-"),
		kind("apps", "v1", "Deployment", "deployments", "The workload of a component on one node without Grove.", "deployment-").builtin().readBy(ByKubernetes),
		kind("autoscaling", "v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers",
			"Autoscaling, and the helpers that scale running PodCliques and scaling groups of Grove.", "autoscaler-", "replicas-").readBy(ByKubernetes),
		kind("gateway.networking.k8s.io", "v1", "HTTPRoute", "httproutes", "Exposure of a frontend by the Gateway API.", "httproute-"),
		kind("grove.io", "v1alpha1", "PodCliqueSet", "podcliquesets", "The workload of a graph on Grove.", string(names.KeyPodCliqueSet)),
		kind("inference.networking.k8s.io", "v1", "InferencePool", "inferencepools", "The pool of an Endpoint Picker.", string(names.KeyEPPInferencePool)),
		kind("leaderworkerset.x-k8s.io", "v1", "LeaderWorkerSet", "leaderworkersets", "The workload of a component over several nodes without Grove.", "leaderworkerset-"),
		kind("networking.istio.io", "v1", "DestinationRule", "destinationrules", "How a mesh of Istio calls Endpoint Pickers.", string(names.KeyEPPDestinationRule)),
		kind("networking.istio.io", "v1", "VirtualService", "virtualservices", "Exposure of a frontend by Istio.", "virtualservice-"),
		kind("networking.k8s.io", "v1", "Ingress", "ingresses", "Exposure of a frontend by an Ingress.", "ingress-").readBy(ByKubernetes),
		kind("nvidia.com", "v1alpha1", "DynamoGraphDeploymentScalingAdapter", "dynamographdeploymentscalingadapters",
			"The adapters by which the planner and autoscalers of the user scale a component.", "scalingadapter-"),
		kind("nvidia.com", "v1alpha1", "SnapshotJob", "snapshotjobs", "The jobs that store the state of pods, from which later pods are restored.", "snapshotjob-"),
		kind("protection.crossplane.io", "v1beta1", "Usage", "usages", "Why an object is not deleted yet.", "usage-computedomain-").builtin(),
		// Crossplane applies a RoleBinding, which grants the Role, in any order.
		kind("rbac.authorization.k8s.io", "v1", "Role", "roles",
			"The permissions of pods: for discovery, and for the planner and the Endpoint Picker. Crossplane applies objects in any order, and without verb bind Kubernetes refuses "+
				"a RoleBinding before its Role exists. The verb adds few privileges: whoever can create Deployments in every namespace can use every ServiceAccount.",
			string(names.KeyDiscoveryRole), string(names.KeyPlannerRole), string(names.KeyEPPRole)).with("bind").readBy(Platform),
		kind("rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings", "The grants of these permissions.",
			string(names.KeyDiscoveryRoleBinding), string(names.KeyPlannerRoleBinding), string(names.KeyEPPRoleBinding)).readBy(Platform),
		kind("resource.k8s.io", "v1", "ResourceClaimTemplate", "resourceclaimtemplates", "Claims for GPUs that the containers of a pod share.", "claimtemplate-"),
		kind("resource.nvidia.com", "v1beta1", "ComputeDomain", "computedomains", "NVLink domains across nodes, if the platform enables them.", "computedomain-"),
		kind("scheduling.k8s.io", "v1beta1", "PodGroup", "podgroups", "The gang of each LeaderWorkerSet, if Kubernetes itself schedules it.", "schedulinggroup-"),
		kind("scheduling.volcano.sh", "v1beta1", "PodGroup", "podgroups", "The gang of each LeaderWorkerSet, if Volcano schedules it.", "podgroup-"),
	}
}

// Required are the kinds that the functions look up and do not compose.
func Required() []Kind {
	return []Kind{
		kind("apiextensions.crossplane.io", "v1beta1", "EnvironmentConfig", "environmentconfigs", "The policy of the platform.").builtin().readBy(Platform),
		kind("apiregistration.k8s.io", "v1", "APIService", "apiservices", "The detection of orchestrators and schedulers by their API groups.").readBy(Platform),
		kind("grove.io", "v1alpha1", "ClusterTopology", "clustertopologies", "The levels of a topology up to Grove v0.1.0-alpha.8.").readBy(Platform),
		kind("grove.io", "v1alpha1", "ClusterTopologyBinding", "clustertopologybindings", "The levels of a topology, against which constraints are checked.").readBy(Platform),
		kind("grove.io", "v1alpha1", "PodClique", "podcliques", "The children of a PodCliqueSet, for their replicas and status."),
		kind("grove.io", "v1alpha1", "PodCliqueScalingGroup", "podcliquescalinggroups", "The children of a PodCliqueSet that span nodes."),
		kind("kueue.x-k8s.io", "v1beta2", "LocalQueue", "localqueues", "The lookup of queues of Kueue."),
		kind("kueue.x-k8s.io", "v1beta2", "Workload", "workloads", "The quotas of Kueue for which pods wait."),
		kind("nvidia.com", "v1alpha1", "PodSnapshot", "podsnapshots", "The checkpoints from which pods are restored."),
		kind("scheduling.run.ai", "v2", "Queue", "queues", "The lookup of KAI queues.").readBy(Platform),
		kind("scheduling.volcano.sh", "v1beta1", "Queue", "queues", "The lookup of Volcano queues.").readBy(Platform),
		kind("topology.volcano.sh", "v1alpha1", "HyperNode", "hypernodes", "The lookup of the domains by which Volcano packs.").readBy(Platform),
	}
}

// All kinds. What is both is listed as composed, which includes the rest.
func All() []Kind { return append(Composed(), Required()...) }

// IsComposed reports whether the functions compose a kind.
func IsComposed(gk schema.GroupKind) bool {
	return slices.ContainsFunc(Composed(), func(k Kind) bool { return k.GroupKind() == gk })
}

// ComposedNames are the kinds that the functions compose, without their groups, sorted. Schedulers have kinds of the same name.
func ComposedNames() []string {
	var sorted []string
	for _, k := range Composed() {
		sorted = append(sorted, k.Kind)
	}
	slices.Sort(sorted)
	return slices.Compact(sorted)
}

// Verbs that Crossplane needs. It takes its labels off an object, with an update, before it deletes it.
func (k Kind) Verbs() []string {
	verbs := []string{"get", "list", "watch"}
	if len(k.Keys) > 0 {
		verbs = append(verbs, "create", "update", "patch", "delete")
	}
	if k.verb != "" {
		verbs = append(verbs, k.verb)
	}
	return verbs
}

// IsKey reports whether a key is one of the functions' own. Another step of a Composition composes under other keys.
func IsKey(key string) bool {
	return slices.ContainsFunc(Composed(), func(k Kind) bool { return k.HasKey(key) })
}

// HasKey reports whether a key is one of composed resources of the kind.
func (k Kind) HasKey(key string) bool {
	return slices.ContainsFunc(k.Keys, func(own string) bool {
		return key == own || strings.HasSuffix(own, "-") && strings.HasPrefix(key, own)
	})
}
