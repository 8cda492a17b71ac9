package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/grovev1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
)

// preferOnGrove decides which preferred domains are written. Grove takes them since v0.1.0-alpha.10, and for a graph that
// runs already as they are.
func (d *decider) preferOnGrove(t topology) {
	set := d.memory.podCliqueSet
	if !takesPreferred(t, set) {
		return
	}
	for _, c := range preferredDomains(d.graph) {
		domain := c.domain
		if set != nil {
			domain = constraintsOf(set)[names.Lower(c.service)].preferred
		} else if !useful(domain, requiredOf(d.graph, c.service).domain, t.levels) {
			continue
		}
		switch {
		case domain == "":
		case c.service == "":
			t.plan.Preferred = domain
		default:
			if t.plan.PreferredDomains == nil {
				t.plan.PreferredDomains = map[string]string{}
			}
			t.plan.PreferredDomains[c.service] = domain
		}
	}
}

// takesPreferred reports whether Grove takes preferred domains, and the PodCliqueSet was written when it did: to add one
// later is a change, which Grove refuses.
func takesPreferred(t topology, set *grovev1alpha1.PodCliqueSet) bool {
	if t.plan.Dialect != graphplan.DialectPack {
		return false
	}
	return set == nil || !writtenWithoutPack(set)
}

// writtenWithoutPack reports whether the constraints of a set are in one of the older dialects.
func writtenWithoutPack(set *grovev1alpha1.PodCliqueSet) bool {
	older := func(tc *grovev1alpha1.TopologyConstraint) bool { return tc.Pack == nil }
	return slices.ContainsFunc(slices.Collect(maps.Values(topologyConstraintsOf(set))), older)
}

// checkPreferredHierarchy refuses a service that prefers a broader domain than its graph: Grove checks preferred domains
// among themselves as it does required ones.
func checkPreferredHierarchy(g *graph.Graph, levels *grovev1alpha1.Topology) field.ErrorList {
	var errs field.ErrorList
	own := preferredDomain(g, "")
	for _, c := range preferredDomains(g) {
		if levels.Broader(c.domain, own) {
			errs = append(errs, field.Invalid(c.path, c.domain, fmt.Sprintf("is broader than %s, which the graph prefers: name that or a narrower domain", own)))
		}
	}
	return errs
}

// checkPreferredUnchanged refuses other preferred domains than those that a PodCliqueSet was created with. One that is not
// written because it is broader than what is required may come and go.
func checkPreferredUnchanged(g *graph.Graph, set *grovev1alpha1.PodCliqueSet, t topology) field.ErrorList {
	if t.plan == nil || !takesPreferred(t, set) {
		return nil
	}
	known, services := len(t.levels.Spec.Levels) > 0, servicesOf(set)
	var errs field.ErrorList
	for _, service := range append([]string{""}, g.ServiceNames()...) {
		if _, ok := services[names.Lower(service)]; service != "" && !ok {
			continue
		}
		wanted, observed := preferredDomain(g, service), constraintsOf(set)[names.Lower(service)].preferred
		required := requiredOf(g, service).domain
		if observed == "" && required != "" && (!known || !useful(wanted, required, t.levels)) {
			continue
		}
		errs = append(errs, unchanged(preferredPath(service), wanted, observed)...)
	}
	return errs
}

// constrained is what a PodCliqueSet has for the graph or for one service.
type constrained struct{ required, preferred, profile string }

// constraintsOf a PodCliqueSet in any dialect: those of the set itself under an empty name, of services by lower-cased name.
func constraintsOf(set *grovev1alpha1.PodCliqueSet) map[string]constrained {
	all := map[string]constrained{}
	for name, tc := range topologyConstraintsOf(set) {
		c := constrained{required: tc.PackDomain, profile: tc.TopologyName}
		if tc.Pack != nil {
			c.required, c.preferred = cmp.Or(tc.Pack.Required, tc.PackDomain), tc.Pack.Preferred
		}
		all[name] = c
	}
	return all
}

// topologyConstraintsOf a PodCliqueSet by the same names.
func topologyConstraintsOf(set *grovev1alpha1.PodCliqueSet) map[string]*grovev1alpha1.TopologyConstraint {
	all := map[string]*grovev1alpha1.TopologyConstraint{"": set.Spec.Template.TopologyConstraint}
	for _, clique := range set.Spec.Template.Cliques {
		all[clique.Name] = clique.TopologyConstraint
	}
	for _, group := range set.Spec.Template.ScalingGroups {
		all[group.Name] = group.TopologyConstraint
	}
	maps.DeleteFunc(all, func(_ string, tc *grovev1alpha1.TopologyConstraint) bool { return tc == nil })
	return all
}
