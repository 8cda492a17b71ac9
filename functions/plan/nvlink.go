package plan

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/composite"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/grovev1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
)

const kindComputeDomain = "ComputeDomain.resource.nvidia.com"

// nvlink is what earlier runs decided about multi-node NVLink.
type nvlink struct {
	// mode in which the graph has domains. Empty: it has none.
	mode graphplan.MNNVLMode

	// scope of a domain in mode Auto.
	scope graphplan.MNNVLScope

	// open says that nothing is decided: no run that composed pods has come to its end.
	open bool
}

// rememberedNVLink asks the observed workloads first: pods that claim a channel wait for ever when their domain is not
// composed, also where its creation failed so far. But where the status says that the graph has no domain, such a claim is
// the user's own. Then come the observed domains, the references that Crossplane keeps, and the status, which alone tells of
// a graph that is scaled to none. A PodCliqueSet tells of Grove's own feature last:
// it says the same when somebody else than this chain turned that on.
func rememberedNVLink(req *fnv1.RunFunctionRequest, g *graph.Graph, set *grovev1alpha1.PodCliqueSet, pods map[string]observedPods) nvlink {
	n := nvlink{}
	status := req.GetObserved().GetComposite().GetResource().GetFields()["status"].GetStructValue().GetFields()["mnnvl"].GetStructValue().GetFields()
	scopes := []graphplan.MNNVLScope{composedScope(req, g), referencedScope(req, g)}
	if status["mode"].GetStringValue() != string(graphplan.MNNVLDisabled) {
		scopes = append([]graphplan.MNNVLScope{claimedScope(pods, g)}, scopes...)
	}
	if scope := cmp.Or(scopes...); scope != "" {
		n.mode, n.scope = graphplan.MNNVLAuto, scope
		return n
	}
	n.open = len(pods) == 0 && len(status) == 0 && statusOf(req) == ""
	switch mode := graphplan.MNNVLMode(status["mode"].GetStringValue()); {
	case mode == graphplan.MNNVLAuto:
		n.mode, n.scope = mode, graphplan.ScopeGraph
		if status["scope"].GetStringValue() == string(graphplan.ScopeReplica) {
			n.scope = graphplan.ScopeReplica
		}
	case mode == graphplan.MNNVLGrove, mode == "" && hasGrovesDomain(set):
		n.mode = graphplan.MNNVLGrove
	}
	return n
}

// claimedScope is the scope of the domains whose channels the observed pods claim; empty when they claim none.
func claimedScope(pods map[string]observedPods, g *graph.Graph) graphplan.MNNVLScope {
	for _, service := range slices.Sorted(maps.Keys(pods)) {
		if scope := pods[service].scope(g, service); scope != "" {
			return scope
		}
	}
	return ""
}

func composedScope(req *fnv1.RunFunctionRequest, g *graph.Graph) graphplan.MNNVLScope {
	observed := req.GetObserved().GetResources()
	for _, key := range slices.Sorted(maps.Keys(observed)) {
		if !names.IsComputeDomain(key) || kindOf(observed[key].GetResource()) != kindComputeDomain {
			continue
		}
		if key == string(names.KeyComputeDomain) {
			return graphplan.ScopeGraph
		}
		for _, service := range g.ServiceNames() {
			if isNumbered(key, strings.TrimSuffix(string(names.KeyReplicaComputeDomain(service, 0)), "0")) {
				return graphplan.ScopeReplica
			}
		}
	}
	return ""
}

func referencedScope(req *fnv1.RunFunctionRequest, g *graph.Graph) graphplan.MNNVLScope {
	for _, refs := range composite.References(req) {
		for _, ref := range refs.GetListValue().GetValues() {
			if kindOf(ref.GetStructValue()) != kindComputeDomain {
				continue
			}
			name := ref.GetStructValue().GetFields()["name"].GetStringValue()
			for _, service := range g.ServiceNames() {
				if scope := scopeOf(g, service, name); scope != "" {
					return scope
				}
			}
		}
	}
	return ""
}

// scopeOf a domain of this name; empty when it is none of the service's.
func scopeOf(g *graph.Graph, service, domain string) graphplan.MNNVLScope {
	switch {
	case domain == g.Names().ComputeDomain():
		return graphplan.ScopeGraph
	case isNumbered(domain, g.Names().Component(service)+"-"):
		return graphplan.ScopeReplica
	default:
		return ""
	}
}

func isNumbered(name, prefix string) bool {
	number, ok := strings.CutPrefix(name, prefix)
	_, err := strconv.ParseUint(number, 10, 31)
	return ok && err == nil
}

// hasGrovesDomain reports whether Grove makes ComputeDomains for a set, in either dialect.
func hasGrovesDomain(set *grovev1alpha1.PodCliqueSet) bool {
	if set == nil {
		return false
	}
	group := set.Annotations[metadata.AnnotationMNNVLGroup]
	return set.Annotations[metadata.AnnotationAutoMNNVL] == mnnvlEnabled || (group != "" && group != mnnvlNoGroup)
}

// serviceOfClique is the service, lower-cased, that a clique belongs to.
func serviceOfClique(clique string, set *grovev1alpha1.PodCliqueSet) string {
	for _, group := range set.Spec.Template.ScalingGroups {
		if slices.Contains(group.CliqueNames, clique) {
			return group.Name
		}
	}
	return clique
}

// scope of the domain whose channels the pods claim; empty when they claim none of this graph's.
func (o observedPods) scope(g *graph.Graph, service string) graphplan.MNNVLScope {
	for i := range o {
		for _, claim := range o[i].Spec.ResourceClaims {
			if claim.Name != names.MNNVLClaim || claim.ResourceClaimTemplateName == nil || bringsChannel(g, service) {
				continue
			}
			if scope := scopeOf(g, service, *claim.ResourceClaimTemplateName); scope != "" {
				return scope
			}
		}
	}
	return ""
}

// bringsChannel reports whether the user calls a claim of a service, by its lower-cased name, as the chain would.
func bringsChannel(g *graph.Graph, service string) bool {
	return slices.ContainsFunc(g.ServiceNames(), func(name string) bool {
		extra := g.Spec.Services[name].ExtraPodSpec
		return names.Lower(name) == service && extra != nil &&
			slices.ContainsFunc(extra.ResourceClaims, func(c corev1.PodResourceClaim) bool { return c.Name == names.MNNVLClaim })
	})
}

// hasClaims reports whether the pods claim anything but GPUs that their containers share.
func (o observedPods) hasClaims() bool {
	return slices.ContainsFunc(o, func(t corev1.PodTemplateSpec) bool {
		return slices.ContainsFunc(t.Spec.ResourceClaims, func(c corev1.PodResourceClaim) bool { return c.Name != pod.SharedGPUClaim })
	})
}

// haveGPUs reports whether any container has GPUs, be it by claim.
func (o observedPods) haveGPUs(member graphplan.MNNVLMember) bool {
	return slices.ContainsFunc(o, func(t corev1.PodTemplateSpec) bool {
		shared := slices.ContainsFunc(t.Spec.ResourceClaims, func(c corev1.PodResourceClaim) bool { return c.Name == member.GPUClaim })
		return shared || pod.HasGPUs(&t.Spec, member.GPUs)
	})
}

// requireClique reports whether the pods that claim a channel only go to nodes of an NVLink clique.
func (o observedPods) requireClique(g *graph.Graph, service string) bool {
	claiming := slices.DeleteFunc(slices.Clone(o), func(t corev1.PodTemplateSpec) bool {
		return observedPods{t}.scope(g, service) == ""
	})
	return len(claiming) > 0 && !slices.ContainsFunc(claiming, func(t corev1.PodTemplateSpec) bool { return !requiresClique(&t.Spec) })
}

// requiresClique reports whether every term says so: one is enough for a node. A term that is empty selects none.
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
