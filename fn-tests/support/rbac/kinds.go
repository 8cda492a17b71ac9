// Package rbac lists the kinds that the functions compose and require, which is what Crossplane needs permissions for.
package rbac

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A Kind that the functions name. Objects of a kind that is required are looked up and watched; others are made, watched and deleted.
type Kind struct {
	Group, Kind, Resource string
	Required              bool
	// Builtin kinds are in Crossplane's own ClusterRole, as its own kinds and what it makes for packages.
	Builtin bool
	// verb that is needed beside those of other kinds.
	verb string
}

// Composed are the kinds that the chain composes, sorted.
func Composed() []string {
	var composedKinds []string
	for _, k := range Kinds() {
		if !k.Required {
			composedKinds = append(composedKinds, k.Kind)
		}
	}
	slices.Sort(composedKinds)
	return composedKinds
}

// Composes reports whether the chain composes a kind, by the table.
func Composes(gk schema.GroupKind) bool {
	return slices.ContainsFunc(Kinds(), func(k Kind) bool { return !k.Required && k.Group == gk.Group && k.Kind == gk.Kind })
}

// Kinds that a step composes or requires. What is both is listed as composed, which includes the rest.
func Kinds() []Kind {
	return []Kind{
		{Group: "", Kind: "ConfigMap", Resource: "configmaps", Builtin: true},
		{Group: "", Kind: "PersistentVolumeClaim", Resource: "persistentvolumeclaims"},
		{Group: "", Kind: "Secret", Resource: "secrets", Builtin: true},
		{Group: "", Kind: "Service", Resource: "services", Builtin: true},
		{Group: "", Kind: "ServiceAccount", Resource: "serviceaccounts", Builtin: true},
		{Group: "apps", Kind: "ControllerRevision", Resource: "controllerrevisions"},
		{Group: "apps", Kind: "Deployment", Resource: "deployments", Builtin: true},
		{Group: "autoscaling", Kind: "HorizontalPodAutoscaler", Resource: "horizontalpodautoscalers"},
		{Group: "gateway.networking.k8s.io", Kind: "HTTPRoute", Resource: "httproutes"},
		{Group: "grove.io", Kind: "PodCliqueSet", Resource: "podcliquesets"},
		{Group: "inference.networking.k8s.io", Kind: "InferencePool", Resource: "inferencepools"},
		{Group: "leaderworkerset.x-k8s.io", Kind: "LeaderWorkerSet", Resource: "leaderworkersets"},
		{Group: "networking.istio.io", Kind: "DestinationRule", Resource: "destinationrules"},
		{Group: "networking.istio.io", Kind: "VirtualService", Resource: "virtualservices"},
		{Group: "networking.k8s.io", Kind: "Ingress", Resource: "ingresses"},
		{Group: "nvidia.com", Kind: "DynamoGraphDeploymentScalingAdapter", Resource: "dynamographdeploymentscalingadapters"},
		{Group: "nvidia.com", Kind: "SnapshotJob", Resource: "snapshotjobs"},
		{Group: "protection.crossplane.io", Kind: "Usage", Resource: "usages", Builtin: true},
		{Group: "rbac.authorization.k8s.io", Kind: "Role", Resource: "roles", verb: "bind"},
		{Group: "rbac.authorization.k8s.io", Kind: "RoleBinding", Resource: "rolebindings"},
		{Group: "resource.k8s.io", Kind: "ResourceClaimTemplate", Resource: "resourceclaimtemplates"},
		{Group: "resource.nvidia.com", Kind: "ComputeDomain", Resource: "computedomains"},
		{Group: "scheduling.volcano.sh", Kind: "PodGroup", Resource: "podgroups"},

		{Group: "apiextensions.crossplane.io", Kind: "EnvironmentConfig", Resource: "environmentconfigs", Required: true, Builtin: true},
		{Group: "apiregistration.k8s.io", Kind: "APIService", Resource: "apiservices", Required: true},
		{Group: "grove.io", Kind: "ClusterTopology", Resource: "clustertopologies", Required: true},
		{Group: "grove.io", Kind: "ClusterTopologyBinding", Resource: "clustertopologybindings", Required: true},
		{Group: "grove.io", Kind: "PodClique", Resource: "podcliques", Required: true},
		{Group: "grove.io", Kind: "PodCliqueScalingGroup", Resource: "podcliquescalinggroups", Required: true},
		{Group: "nvidia.com", Kind: "PodSnapshot", Resource: "podsnapshots", Required: true},
		{Group: "scheduling.run.ai", Kind: "Queue", Resource: "queues", Required: true},
		{Group: "scheduling.volcano.sh", Kind: "Queue", Resource: "queues", Required: true},
	}
}

// Verbs that Crossplane needs. It takes its labels off an object, with an update, before it deletes it.
func (k Kind) Verbs() []string {
	verbs := []string{"get", "list", "watch"}
	if !k.Required {
		verbs = append(verbs, "create", "update", "patch", "delete")
	}
	if k.verb != "" {
		verbs = append(verbs, k.verb)
	}
	return verbs
}
