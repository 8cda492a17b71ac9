// Package rbac holds package/rbac.yaml to what the functions need: a rule for every kind that they compose or require, and no
// rule for anything else.
package rbac

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A use is what Crossplane does with a kind for us.
type use int

const (
	// composed objects are made, watched and deleted.
	composed use = iota
	// required objects are looked up, and watched.
	required
)

// A kind that the functions name.
type kind struct {
	group, kind, resource string
	use                   use
	// builtin kinds are in Crossplane's own ClusterRole, as its own kinds and what it makes for packages.
	builtin bool
	// verb that is needed beside those of the use.
	verb string
}

// Composed are the kinds that the chain composes, sorted.
func Composed() []string {
	var composedKinds []string
	for _, k := range kinds() {
		if k.use == composed {
			composedKinds = append(composedKinds, k.kind)
		}
	}
	slices.Sort(composedKinds)
	return composedKinds
}

// Composes reports whether the chain composes a kind, by the table.
func Composes(gk schema.GroupKind) bool {
	return slices.ContainsFunc(kinds(), func(k kind) bool { return k.use == composed && k.group == gk.Group && k.kind == gk.Kind })
}

// kinds that a step composes or requires. What is both is listed as composed, which includes the rest.
func kinds() []kind {
	return []kind{
		{group: "", kind: "ConfigMap", resource: "configmaps", builtin: true},
		{group: "", kind: "PersistentVolumeClaim", resource: "persistentvolumeclaims"},
		{group: "", kind: "Secret", resource: "secrets", builtin: true},
		{group: "", kind: "Service", resource: "services", builtin: true},
		{group: "", kind: "ServiceAccount", resource: "serviceaccounts", builtin: true},
		{group: "apps", kind: "ControllerRevision", resource: "controllerrevisions"},
		{group: "apps", kind: "Deployment", resource: "deployments", builtin: true},
		{group: "autoscaling", kind: "HorizontalPodAutoscaler", resource: "horizontalpodautoscalers"},
		{group: "gateway.networking.k8s.io", kind: "HTTPRoute", resource: "httproutes"},
		{group: "grove.io", kind: "PodCliqueSet", resource: "podcliquesets"},
		{group: "inference.networking.k8s.io", kind: "InferencePool", resource: "inferencepools"},
		{group: "leaderworkerset.x-k8s.io", kind: "LeaderWorkerSet", resource: "leaderworkersets"},
		{group: "networking.istio.io", kind: "DestinationRule", resource: "destinationrules"},
		{group: "networking.istio.io", kind: "VirtualService", resource: "virtualservices"},
		{group: "networking.k8s.io", kind: "Ingress", resource: "ingresses"},
		{group: "nvidia.com", kind: "DynamoGraphDeploymentScalingAdapter", resource: "dynamographdeploymentscalingadapters"},
		{group: "protection.crossplane.io", kind: "Usage", resource: "usages", builtin: true},
		{group: "rbac.authorization.k8s.io", kind: "Role", resource: "roles", verb: "bind"},
		{group: "rbac.authorization.k8s.io", kind: "RoleBinding", resource: "rolebindings"},
		{group: "resource.k8s.io", kind: "ResourceClaimTemplate", resource: "resourceclaimtemplates"},
		{group: "resource.nvidia.com", kind: "ComputeDomain", resource: "computedomains"},
		{group: "scheduling.volcano.sh", kind: "PodGroup", resource: "podgroups"},

		{group: "apiextensions.crossplane.io", kind: "EnvironmentConfig", resource: "environmentconfigs", use: required, builtin: true},
		{group: "apiregistration.k8s.io", kind: "APIService", resource: "apiservices", use: required},
		{group: "grove.io", kind: "ClusterTopology", resource: "clustertopologies", use: required},
		{group: "grove.io", kind: "ClusterTopologyBinding", resource: "clustertopologybindings", use: required},
		{group: "grove.io", kind: "PodClique", resource: "podcliques", use: required},
		{group: "grove.io", kind: "PodCliqueScalingGroup", resource: "podcliquescalinggroups", use: required},
		{group: "nvidia.com", kind: "PodSnapshot", resource: "podsnapshots", use: required},
		{group: "scheduling.run.ai", kind: "Queue", resource: "queues", use: required},
		{group: "scheduling.volcano.sh", kind: "Queue", resource: "queues", use: required},
	}
}

// verbs that Crossplane needs for a use. It takes its labels off an object, with an update, before it deletes it.
func (u use) verbs() []string {
	if u == required {
		return []string{"get", "list", "watch"}
	}
	return []string{"get", "list", "watch", "create", "update", "patch", "delete"}
}
