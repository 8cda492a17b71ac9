package mnnvl

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

// pastDecision is what earlier runs decided about multi-node NVLink.
type pastDecision struct {
	// mode in which the graph has domains. Empty if it has none.
	mode graphplan.MNNVLMode

	// scope of a domain in mode Auto.
	scope graphplan.MNNVLScope

	// open says that nothing is decided: no run that composed pods has completed.
	open bool
}

// remember what was decided for a graph. It is read from the following, in this order:
//
//  1. The observed pods. Pods that claim a channel stay pending until their domain exists, so the domain is composed even if its
//     creation has failed so far. If the status is Disabled, such a claim belongs to the user.
//  2. The observed domains, then the references that Crossplane keeps.
//  3. The status. It is the only memory of a graph that is scaled to zero.
//  4. The annotations of the PodCliqueSet, for Grove's own feature. They come last because others may have set them.
func remember(f *subject.Facts) pastDecision {
	m := pastDecision{}
	status, decided := f.Observed.Status.MNNVL()
	scopes := []graphplan.MNNVLScope{composedScope(f), referencedScope(f)}
	if status.Mode != graphplan.MNNVLDisabled {
		scopes = append([]graphplan.MNNVLScope{claimedScope(f)}, scopes...)
	}
	if scope := cmp.Or(scopes...); scope != "" {
		m.mode, m.scope = graphplan.MNNVLAuto, scope
		return m
	}
	m.open = len(f.Observed.Pods) == 0 && !decided && f.Observed.Status.Orchestrator() == ""
	switch {
	case status.Mode == graphplan.MNNVLAuto:
		m.mode, m.scope = status.Mode, graphplan.ScopeGraph
		if status.Scope == graphplan.ScopeReplica {
			m.scope = graphplan.ScopeReplica
		}
	case status.Mode == graphplan.MNNVLGrove, status.Mode == "" && hasGrovesDomain(f.Observed.PodCliqueSet):
		m.mode = graphplan.MNNVLGrove
	}
	return m
}

// claimedScope is the scope of the domains whose channels the observed pods claim. Empty if they claim none.
func claimedScope(f *subject.Facts) graphplan.MNNVLScope {
	for _, component := range slices.Sorted(maps.Keys(f.Observed.Pods)) {
		if scope := scopeOfPods(f.Observed.Pods[component], f.Graph, component); scope != "" {
			return scope
		}
	}
	return ""
}

func composedScope(f *subject.Facts) graphplan.MNNVLScope {
	for _, key := range f.Observed.Keys() {
		if !names.IsComputeDomain(key) || observed.KindOf(f.Observed.Resources()[key].GetResource()) != observed.KindComputeDomain {
			continue
		}
		if key == string(names.KeyComputeDomain) {
			return graphplan.ScopeGraph
		}
		for _, component := range f.Graph.ComponentNames() {
			if isNumbered(key, strings.TrimSuffix(string(names.KeyReplicaComputeDomain(component, 0)), "0")) {
				return graphplan.ScopeReplica
			}
		}
	}
	return ""
}

func referencedScope(f *subject.Facts) graphplan.MNNVLScope {
	for _, refs := range f.Observed.References {
		for _, ref := range refs {
			if ref.Kind != observed.KindComputeDomain {
				continue
			}
			for _, component := range f.Graph.ComponentNames() {
				if scope := scopeOf(f.Graph, component, ref.Name); scope != "" {
					return scope
				}
			}
		}
	}
	return ""
}

// scopeOf a domain with this name. Empty if it is not a domain of the component.
func scopeOf(g *graph.Graph, component, domain string) graphplan.MNNVLScope {
	switch {
	case domain == g.Names().ComputeDomain():
		return graphplan.ScopeGraph
	case isNumbered(domain, g.Names().Component(component)+"-"):
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

// hasGrovesDomain reports whether Grove creates ComputeDomains for a PodCliqueSet, in either dialect.
func hasGrovesDomain(set *grovev1alpha1.PodCliqueSet) bool {
	if set == nil {
		return false
	}
	group := set.Annotations[metadata.AnnotationMNNVLGroup]
	return set.Annotations[metadata.AnnotationAutoMNNVL] == enabled || (group != "" && group != noGroup)
}
