package mnnvl

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
)

// scopeOfPods is the scope of the domain whose channels they claim. Empty if they claim no channel of this graph.
func scopeOfPods(pods observed.Pods, g *graph.Graph, component string) graphplan.MNNVLScope {
	for i := range pods {
		for _, claim := range pods[i].Spec.ResourceClaims {
			if claim.Name != names.MNNVLClaim || claim.ResourceClaimTemplateName == nil || bringsChannel(g, component) {
				continue
			}
			if scope := scopeOf(g, component, *claim.ResourceClaimTemplateName); scope != "" {
				return scope
			}
		}
	}
	return ""
}

// bringsChannel reports whether the user has given a claim of a component, by its lower-cased name, the name that the chain uses.
func bringsChannel(g *graph.Graph, component string) bool {
	return slices.ContainsFunc(g.ComponentNames(), func(name string) bool {
		return names.Lower(name) == component &&
			slices.ContainsFunc(g.Component(name).Pod().ResourceClaims, func(c corev1.PodResourceClaim) bool { return c.Name == names.MNNVLClaim })
	})
}

// haveClaims reports whether the pods have claims other than those for GPUs that their containers share.
func haveClaims(pods observed.Pods) bool {
	return slices.ContainsFunc(pods, func(t corev1.PodTemplateSpec) bool {
		return slices.ContainsFunc(t.Spec.ResourceClaims, func(c corev1.PodResourceClaim) bool { return c.Name != pod.SharedGPUClaim })
	})
}

// haveGPUs reports whether any container has GPUs, directly or through a claim.
func haveGPUs(pods observed.Pods, member graphplan.MNNVLMember) bool {
	return slices.ContainsFunc(pods, func(t corev1.PodTemplateSpec) bool {
		shared := slices.ContainsFunc(t.Spec.ResourceClaims, func(c corev1.PodResourceClaim) bool { return c.Name == member.GPUClaim })
		return shared || pod.HasGPUs(&t.Spec, member.GPUs)
	})
}

// podsRequireClique reports whether the pods that claim a channel are restricted to nodes of an NVLink clique.
func podsRequireClique(pods observed.Pods, g *graph.Graph, component string) bool {
	claiming := slices.DeleteFunc(slices.Clone(pods), func(t corev1.PodTemplateSpec) bool {
		return scopeOfPods(observed.Pods{t}, g, component) == ""
	})
	return len(claiming) > 0 && !slices.ContainsFunc(claiming, func(t corev1.PodTemplateSpec) bool { return !requiresClique(&t.Spec) })
}

// requiresClique reports whether every term requires it, because a node has to match only one. An empty term matches no node.
func requiresClique(spec *corev1.PodSpec) bool {
	if spec.Affinity == nil || spec.Affinity.NodeAffinity == nil || spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return false
	}
	required := spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	terms := slices.DeleteFunc(slices.Clone(required.NodeSelectorTerms), func(term corev1.NodeSelectorTerm) bool {
		return len(term.MatchExpressions)+len(term.MatchFields) == 0
	})
	return len(terms) > 0 && !slices.ContainsFunc(terms, func(term corev1.NodeSelectorTerm) bool {
		return !slices.ContainsFunc(term.MatchExpressions, func(e corev1.NodeSelectorRequirement) bool {
			return e.Key == metadata.LabelGPUClique && e.Operator == corev1.NodeSelectorOpExists
		})
	})
}
