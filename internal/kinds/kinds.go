// Package kinds is the table of the kinds that the functions compose and require. Permissions, the search for lost objects, the keys of the
// functions, readiness, adoption, and lists in tests and documentation come from it, so that a kind is added in one place.
package kinds

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
)

// composed kinds, by their groups and names.
var composed = []Kind{ //nolint:gochecknoglobals // It never changes, and steps look kinds up for each object.
	{
		GroupVersionKind: gvk("", "v1", "ConfigMap"), Resource: "configmaps", Keys: []names.Resource{names.KeyEPPConfigMap, names.KeyWaitForLeader},
		Purpose: "What pods mount: the configuration of an Endpoint Picker, and the script that waits for a leader.", Readers: ByKubernetes, Builtin: true,
		Steps: []Step{Foundation}, Readiness: Exists, Proof: Label, Reaches: nothing,
	}, {
		GroupVersionKind: gvk("", "v1", "PersistentVolumeClaim"), Resource: "persistentvolumeclaims", Keys: []names.Resource{"pvc-"},
		Purpose: "Storage that a graph creates. Claims are looked up first, so that existing claims are not taken over.", Readers: ByKubernetes,
		Steps: []Step{Foundation}, Readiness: OwnStatus, Proof: OwnerReference, Reaches: "storage", Limits: "`storageClasses`, quotas",
		Fixed: []string{"spec.accessModes", "spec.storageClassName", "spec.volumeMode", "spec.volumeName"},
	}, {
		GroupVersionKind: gvk("", "v1", "Secret"), Resource: "secrets", Keys: []names.Resource{names.KeySSHSecret},
		Purpose: "The key pair of MPI.", Readers: Platform, Builtin: true, ByName: true,
		Steps: []Step{SSHSecret}, Readiness: Exists, Reaches: "nothing: a new key pair",
	}, {
		GroupVersionKind: gvk("", "v1", "Service"), Resource: "services", Keys: []names.Resource{"service-", "rayservice-"},
		Purpose: "The addresses of components.", Readers: ByKubernetes, Builtin: true,
		Steps: []Step{Foundation}, Readiness: Exists, Proof: Selector, Fixed: []string{"spec.selector", "spec.ports"},
		Reaches: "pods anywhere; controllers that read its labels and annotations, such as external-dns", Limits: "the configuration of these controllers; network policies",
	}, {
		GroupVersionKind: gvk("", "v1", "ServiceAccount"), Resource: "serviceaccounts",
		Keys:    []names.Resource{names.KeyDiscoveryServiceAccount, names.KeyPlannerServiceAccount, names.KeyEPPServiceAccount},
		Purpose: "The identities of pods.", Readers: ByKubernetes, Builtin: true,
		Steps: []Step{Foundation}, Readiness: Exists, Proof: AccessLabels, Reaches: "nothing, unless somebody binds more to it",
	}, {
		GroupVersionKind: gvk("apps", "v1", "ControllerRevision"), Resource: "controllerrevisions", Keys: []names.Resource{"revision-"},
		Purpose: "The recorded pod templates of a graph, from which docs/restart.md shows what an update would change.", Readers: Viewers,
		Steps: []Step{Revision}, Readiness: Exists, Reaches: nothing,
	}, {
		GroupVersionKind: gvk("apps", "v1", "Deployment"), Resource: "deployments", Keys: []names.Resource{"deployment-"},
		Purpose: "The workload of a component on one node without Grove.", Readers: ByKubernetes, Builtin: true,
		Steps: []Step{LWS}, Readiness: OwnStatus, Pods: PodTemplate, Proof: PodLabel, Fixed: []string{"spec.selector"}, Reaches: nodes, Limits: podLimits,
	}, {
		GroupVersionKind: gvk("autoscaling", "v2", "HorizontalPodAutoscaler"), Resource: "horizontalpodautoscalers",
		Keys:    []names.Resource{"autoscaler-", "replicas-"},
		Purpose: "Autoscaling, and the helpers that scale running PodCliques and scaling groups of Grove.", Readers: ByKubernetes,
		Steps: []Step{Grove, LWS}, Readiness: OwnStatus, Reaches: nothing, Limits: "`maxReplicas`",
	}, {
		GroupVersionKind: gvk("gateway.networking.k8s.io", "v1", "HTTPRoute"), Resource: "httproutes", Keys: []names.Resource{"httproute-"},
		Purpose: "Exposure of a frontend by the Gateway API.", Readers: Viewers, Served: IfInstalled, Steps: []Step{Foundation}, Readiness: ConditionReady,
		Reaches: "a Gateway: requests to the host", Limits: "its `allowedRoutes`; `ingressHostSuffixes`",
	}, {
		GroupVersionKind: gvk("grove.io", "v1alpha1", "PodCliqueSet"), Resource: "podcliquesets", Keys: []names.Resource{names.KeyPodCliqueSet},
		Purpose: "The workload of a graph on Grove.", Readers: Viewers, Served: WithGrove,
		Steps: []Step{Grove}, Readiness: OwnStatus, Pods: CliqueTemplates, Proof: CliqueLabels,
		Reaches: "nodes, with what pods request, and its queue", Limits: podLimits,
	}, {
		GroupVersionKind: gvk("inference.networking.k8s.io", "v1", "InferencePool"), Resource: "inferencepools", Keys: []names.Resource{names.KeyEPPInferencePool},
		Purpose: "The pool of an Endpoint Picker.", Readers: Viewers, Served: IfInstalled, Steps: []Step{Foundation}, Readiness: ConditionReady,
		Proof: SelectorOfPool, Fixed: []string{"spec"}, Reaches: "routes that refer to it",
	}, {
		GroupVersionKind: gvk("leaderworkerset.x-k8s.io", "v1", "LeaderWorkerSet"), Resource: "leaderworkersets", Keys: []names.Resource{"leaderworkerset-"},
		Purpose: "The workload of a component over several nodes without Grove.", Readers: Viewers,
		Served: WithLWS, Steps: []Step{LWS}, Readiness: OwnStatus, Pods: LeaderWorkerTemplate, Proof: WorkerLabel, Reaches: nodes, Limits: podLimits,
	}, {
		GroupVersionKind: gvk("networking.istio.io", "v1", "DestinationRule"), Resource: "destinationrules", Keys: []names.Resource{names.KeyEPPDestinationRule},
		Purpose: "How a mesh of Istio calls Endpoint Pickers.", Readers: Viewers, Served: IfInstalled, Steps: []Step{Foundation}, Readiness: ConditionReady,
		Reaches: "how proxies call the Endpoint Picker of the graph", Limits: "`istio.endpointPickers`",
	}, {
		GroupVersionKind: gvk("networking.istio.io", "v1", "VirtualService"), Resource: "virtualservices", Keys: []names.Resource{"virtualservice-"},
		Purpose: "Exposure of a frontend by Istio.", Readers: Viewers, Served: IfInstalled, Steps: []Step{Foundation}, Readiness: ConditionReady, Proof: Backends,
		Reaches: "a gateway of Istio: requests to the host", Limits: "its `hosts`; `gateways`, `ingressHostSuffixes`",
	}, {
		GroupVersionKind: gvk("networking.k8s.io", "v1", "Ingress"), Resource: "ingresses", Keys: []names.Resource{"ingress-"},
		Purpose: "Exposure of a frontend by an Ingress.", Readers: ByKubernetes, Steps: []Step{Foundation}, Readiness: Exists, Proof: Backends,
		Reaches: "its controller: requests to the host", Limits: "`ingressHostSuffixes`; `ingress.allowedAnnotations`",
	}, {
		GroupVersionKind: gvk("nvidia.com", "v1beta1", "DynamoGraphDeploymentScalingAdapter"), Resource: "dynamographdeploymentscalingadapters",
		Keys: []names.Resource{names.KeyScaleTogether, "scalingadapter-"}, Readers: Viewers,
		Purpose: "The adapters by which the planner and autoscalers of the user scale a component, or several together.",
		// Pods do not wait for its status.
		Served: WithAdapters, Steps: []Step{Foundation}, Readiness: Exists, Proof: Label, Reaches: nothing,
	}, {
		GroupVersionKind: gvk("nvidia.com", "v1alpha1", "SnapshotJob"), Resource: "snapshotjobs", Keys: []names.Resource{"snapshotjob-"},
		Purpose: "The jobs that store the state of pods, from which later pods are restored.", Readers: Viewers, Served: WithSnapshots,
		Steps: []Step{Revision}, Readiness: ConditionReady,
		Reaches: "nodes, with one pod more, and storage of the snapshot operator", Limits: "`maxGPUs`, quotas",
	}, {
		// Its condition Ready is False or missing until both the domain and the workload are found, and pods do not wait for that.
		GroupVersionKind: gvk("protection.crossplane.io", "v1beta1", "Usage"), Resource: "usages", Keys: []names.Resource{"usage-computedomain-"},
		Purpose: "Why an object is not deleted yet.", Readers: Viewers, Builtin: true, Served: WithDomains,
		Steps: []Step{ComputeDomain}, Readiness: Exists, Reaches: nothing,
	}, {
		// Crossplane applies a RoleBinding, which grants the Role, in any order.
		GroupVersionKind: gvk("rbac.authorization.k8s.io", "v1", "Role"), Resource: "roles",
		Keys: []names.Resource{names.KeyDiscoveryRole, names.KeyPlannerRole, names.KeyEPPRole}, Verb: "bind",
		Purpose: "The permissions of pods: for discovery, and for the planner and the Endpoint Picker. Crossplane applies objects in any order, and without verb bind Kubernetes refuses " +
			"a RoleBinding before its Role exists. The verb adds few privileges: whoever can create Deployments in every namespace can use every ServiceAccount.",
		Readers: Platform, Steps: []Step{Foundation}, Readiness: Exists, Proof: AccessLabels, Reaches: nothing,
	}, {
		GroupVersionKind: gvk("rbac.authorization.k8s.io", "v1", "RoleBinding"), Resource: "rolebindings",
		Keys:    []names.Resource{names.KeyDiscoveryRoleBinding, names.KeyPlannerRoleBinding, names.KeyEPPRoleBinding},
		Purpose: "The grants of these permissions.", Readers: Platform,
		Steps: []Step{Foundation}, Readiness: Exists, Proof: AccessLabels, Reaches: "nothing: a Role of the graph, accounts of the namespace",
	}, {
		GroupVersionKind: gvk("resource.k8s.io", "v1", "ResourceClaimTemplate"), Resource: "resourceclaimtemplates", Keys: []names.Resource{"claimtemplate-"},
		Purpose: "Claims for GPUs that the containers of a pod share.", Readers: Viewers, Served: WithClaims, Steps: []Step{Foundation}, Readiness: ConditionReady,
		Proof: UsedByPods, Fixed: []string{"spec"}, Reaches: "devices of any DeviceClass", Limits: "quotas of the DeviceClass",
	}, {
		// Its status says nothing about the graph: with numNodes 0 it is Ready before any node takes part, and otherwise NotReady until the pods run,
		// which would wait for the graph. The comment of the driver on this field advises workloads not to use it.
		GroupVersionKind: gvk("resource.nvidia.com", "v1beta1", "ComputeDomain"), Resource: "computedomains", Keys: []names.Resource{"computedomain-"},
		Purpose: "NVLink domains across nodes, if the platform enables them.", Readers: Viewers, Served: WithDomains, Steps: []Step{ComputeDomain}, Readiness: Exists,
		Reaches: "the NVLink domain of the nodes of its pods", Limits: "`maxGPUs`, quotas",
	}, {
		GroupVersionKind: gvk("scheduling.k8s.io", "v1beta1", "PodGroup"), Resource: "podgroups", Keys: []names.Resource{"schedulinggroup-"},
		Purpose: "The gang of each LeaderWorkerSet, if Kubernetes itself schedules it.", Readers: Viewers,
		Served: WithGangs, Steps: []Step{LWS}, Readiness: OwnStatus, Reaches: queue, Limits: "`queues`",
	}, {
		GroupVersionKind: gvk("scheduling.volcano.sh", "v1beta1", "PodGroup"), Resource: "podgroups", Keys: []names.Resource{"podgroup-"},
		Purpose: "The gang of each LeaderWorkerSet, if Volcano schedules it.", Readers: Viewers, Served: WithVolcano,
		Steps: []Step{LWS}, Readiness: OwnStatus, Proof: UsedByPods,
		Fixed:   []string{"spec.queue", "spec.minResources", "spec.priorityClassName", "spec.networkTopology"},
		Reaches: queue, Limits: "`queues`",
	},
}

// required kinds, which the functions look up and do not compose.
var required = []Kind{ //nolint:gochecknoglobals // It never changes.
	{
		GroupVersionKind: gvk("apiextensions.crossplane.io", "v1beta1", "EnvironmentConfig"), Resource: "environmentconfigs",
		Purpose: "The policy of the platform.", Readers: Platform, Builtin: true,
	},
	lookedUp("apiregistration.k8s.io", "v1", "APIService", "apiservices", "The detection of orchestrators and schedulers by their API groups.", Platform),
	lookedUp("grove.io", "v1alpha1", "ClusterTopology", "clustertopologies", "The levels of a topology up to Grove v0.1.0-alpha.8.", Platform),
	lookedUp("grove.io", "v1alpha1", "ClusterTopologyBinding", "clustertopologybindings", "The levels of a topology, against which constraints are checked.", Platform),
	lookedUp("grove.io", "v1alpha1", "PodClique", "podcliques", "The children of a PodCliqueSet, for their replicas and status.", Viewers),
	lookedUp("grove.io", "v1alpha1", "PodCliqueScalingGroup", "podcliquescalinggroups", "The children of a PodCliqueSet that span nodes.", Viewers),
	lookedUp("kueue.x-k8s.io", "v1beta2", "LocalQueue", "localqueues", "The lookup of queues of Kueue.", Viewers),
	lookedUp("kueue.x-k8s.io", "v1beta2", "Workload", "workloads", "The quotas of Kueue for which pods wait.", Viewers),
	lookedUp("nvidia.com", "v1alpha1", "PodSnapshot", "podsnapshots", "The checkpoints from which pods are restored.", Viewers),
	lookedUp("resource.k8s.io", "v1", "ResourceClaim", "resourceclaims", "The number of GPUs in claims that pods name.", Viewers),
	lookedUp("resource.k8s.io", "v1", "DeviceClass", "deviceclasses", "The detection of the driver that makes NVLink domains across nodes.", Platform),
	lookedUp("scheduling.run.ai", "v2", "Queue", "queues", "The lookup of KAI queues.", Platform),
	lookedUp("scheduling.volcano.sh", "v1beta1", "Queue", "queues", "The lookup of Volcano queues.", Platform),
	lookedUp("topology.volcano.sh", "v1alpha1", "HyperNode", "hypernodes", "The lookup of the domains by which Volcano packs.", Platform),
}

func lookedUp(group, version, kind, plural, purpose string, readers Readers) Kind {
	return Kind{GroupVersionKind: gvk(group, version, kind), Resource: plural, Purpose: purpose, Readers: readers}
}

func gvk(group, version, kind string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: group, Version: version, Kind: kind}
}

// Composed are the kinds that the functions compose.
func Composed() []Kind { return slices.Clone(composed) }

// All kinds. What is both is listed as composed, which includes the rest.
func All() []Kind { return append(Composed(), required...) }

// Of an object, by its API version and kind: the zero Kind if the functions compose no objects of its group and kind.
func Of(apiVersion, kind string) Kind {
	gk := schema.FromAPIVersionAndKind(apiVersion, kind).GroupKind()
	return firstKind(func(k *Kind) bool { return k.GroupKind() == gk })
}

// Named is a composed kind without its group, for what kinds of the same name share. Objects are looked up with their group: see Of.
func Named(name string) Kind { return firstKind(func(k *Kind) bool { return k.Kind == name }) }

// OfKey is the kind of composed resources with a key: the zero Kind if it is no key of the functions. Another step of a Composition composes
// under other keys.
func OfKey(key string) Kind { return firstKind(func(k *Kind) bool { return k.HasKey(key) }) }

// IsKey reports whether a key is one of the functions' own.
func IsKey(key string) bool { return OfKey(key).Kind != "" }

func firstKind(is func(*Kind) bool) Kind {
	for i := range composed {
		if is(&composed[i]) {
			return composed[i]
		}
	}
	return Kind{}
}

// ComposedNames are the kinds that the functions compose, without their groups, sorted. Schedulers have kinds of the same name.
func ComposedNames() []string {
	var sorted []string
	for i := range composed {
		sorted = append(sorted, composed[i].Kind)
	}
	slices.Sort(sorted)
	return slices.Compact(sorted)
}

// Verbs that Crossplane needs. It takes its labels off an object, with an update, before it deletes it.
func (k *Kind) Verbs() []string {
	verbs := []string{"get", "list", "watch"}
	if len(k.Keys) > 0 {
		verbs = append(verbs, "create", "update", "patch", "delete")
	}
	if k.Verb != "" {
		verbs = append(verbs, k.Verb)
	}
	return verbs
}

// HasKey reports whether a key is one of composed resources of the kind.
func (k *Kind) HasKey(key string) bool {
	return slices.ContainsFunc(k.Keys, func(own names.Resource) bool {
		return key == string(own) || strings.HasSuffix(string(own), "-") && strings.HasPrefix(key, string(own))
	})
}
