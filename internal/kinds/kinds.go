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

	// Builtin kinds are in Crossplane's own ClusterRole, as its own kinds and what it makes for packages.
	Builtin bool

	// ByName says that lost objects of the kind are only looked up by their names, because Crossplane would cache all objects of the kind.
	ByName bool

	// verb that is needed beside those of other kinds.
	verb string
}

func kind(group, version, name, resource string, keys ...string) Kind {
	return Kind{GroupVersionKind: schema.GroupVersionKind{Group: group, Version: version, Kind: name}, Resource: resource, Keys: keys}
}

// Composed are the kinds that the functions compose.
func Composed() []Kind {
	all := []Kind{
		kind("", "v1", "ConfigMap", "configmaps", string(names.KeyEPPConfigMap), string(names.KeyWaitForLeader)),
		kind("", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", "pvc-"),
		kind("", "v1", "Secret", "secrets", string(names.KeySSHSecret)),
		kind("", "v1", "Service", "services", "service-", "rayservice-"),
		kind("", "v1", "ServiceAccount", "serviceaccounts",
			string(names.KeyDiscoveryServiceAccount), string(names.KeyPlannerServiceAccount), string(names.KeyEPPServiceAccount)),
		kind("apps", "v1", "ControllerRevision", "controllerrevisions", "revision-"),
		kind("apps", "v1", "Deployment", "deployments", "deployment-"),
		kind("autoscaling", "v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers", "autoscaler-", "replicas-"),
		kind("gateway.networking.k8s.io", "v1", "HTTPRoute", "httproutes", "httproute-"),
		kind("grove.io", "v1alpha1", "PodCliqueSet", "podcliquesets", string(names.KeyPodCliqueSet)),
		kind("inference.networking.k8s.io", "v1", "InferencePool", "inferencepools", string(names.KeyEPPInferencePool)),
		kind("leaderworkerset.x-k8s.io", "v1", "LeaderWorkerSet", "leaderworkersets", "leaderworkerset-"),
		kind("networking.istio.io", "v1", "DestinationRule", "destinationrules", string(names.KeyEPPDestinationRule)),
		kind("networking.istio.io", "v1", "VirtualService", "virtualservices", "virtualservice-"),
		kind("networking.k8s.io", "v1", "Ingress", "ingresses", "ingress-"),
		kind("nvidia.com", "v1alpha1", "DynamoGraphDeploymentScalingAdapter", "dynamographdeploymentscalingadapters", "scalingadapter-"),
		kind("nvidia.com", "v1alpha1", "SnapshotJob", "snapshotjobs", "snapshotjob-"),
		kind("protection.crossplane.io", "v1beta1", "Usage", "usages", "usage-computedomain-"),
		kind("rbac.authorization.k8s.io", "v1", "Role", "roles", string(names.KeyDiscoveryRole), string(names.KeyPlannerRole), string(names.KeyEPPRole)),
		kind("rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings",
			string(names.KeyDiscoveryRoleBinding), string(names.KeyPlannerRoleBinding), string(names.KeyEPPRoleBinding)),
		kind("resource.k8s.io", "v1", "ResourceClaimTemplate", "resourceclaimtemplates", "claimtemplate-"),
		kind("resource.nvidia.com", "v1beta1", "ComputeDomain", "computedomains", "computedomain-"),
		kind("scheduling.k8s.io", "v1beta1", "PodGroup", "podgroups", "schedulinggroup-"),
		kind("scheduling.volcano.sh", "v1beta1", "PodGroup", "podgroups", "podgroup-"),
	}
	for i := range all {
		switch all[i].Kind {
		case "ConfigMap", "Service", "ServiceAccount", "Deployment", "Usage":
			all[i].Builtin = true
		case "Secret":
			all[i].Builtin, all[i].ByName = true, true
		case "Role":
			// Crossplane applies a RoleBinding, which grants the Role, in any order.
			all[i].verb = "bind"
		}
	}
	return all
}

// Required are the kinds that the functions look up and do not compose.
func Required() []Kind {
	environment := kind("apiextensions.crossplane.io", "v1beta1", "EnvironmentConfig", "environmentconfigs")
	environment.Builtin = true
	return []Kind{
		environment,
		kind("apiregistration.k8s.io", "v1", "APIService", "apiservices"),
		kind("grove.io", "v1alpha1", "ClusterTopology", "clustertopologies"),
		kind("grove.io", "v1alpha1", "ClusterTopologyBinding", "clustertopologybindings"),
		kind("grove.io", "v1alpha1", "PodClique", "podcliques"),
		kind("grove.io", "v1alpha1", "PodCliqueScalingGroup", "podcliquescalinggroups"),
		kind("kueue.x-k8s.io", "v1beta2", "LocalQueue", "localqueues"),
		kind("kueue.x-k8s.io", "v1beta2", "Workload", "workloads"),
		kind("nvidia.com", "v1alpha1", "PodSnapshot", "podsnapshots"),
		kind("scheduling.run.ai", "v2", "Queue", "queues"),
		kind("scheduling.volcano.sh", "v1beta1", "Queue", "queues"),
		kind("topology.volcano.sh", "v1alpha1", "HyperNode", "hypernodes"),
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
