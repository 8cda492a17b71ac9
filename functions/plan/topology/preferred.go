package topology

import (
	"maps"
	"slices"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// preferencesOnGrove are the preferred domains to write, of the graph and of components. Grove accepts them in v0.1.0-alpha.10 and later.
// Those of a live graph are kept.
func preferencesOnGrove(f *subject.Facts, t Decision) (ofGraph string, ofComponents map[string]string) {
	set := f.Observed.PodCliqueSet
	if !takesPreferred(t, set) {
		return "", nil
	}
	for _, c := range preferredDomains(f.Graph) {
		domain := c.domain
		if set != nil {
			domain = constraintsOf(set)[names.Lower(c.component)].preferred
		} else if !useful(domain, requiredOf(f.Graph, c.component).domain, t.Levels) {
			continue
		}
		switch {
		case domain == "":
		case c.component == "":
			ofGraph = domain
		default:
			if ofComponents == nil {
				ofComponents = map[string]string{}
			}
			ofComponents[c.component] = domain
		}
	}
	return ofGraph, ofComponents
}

// takesPreferred reports whether Grove accepts preferred domains, and also did when the PodCliqueSet was created. Adding one later is a
// change, which Grove refuses.
func takesPreferred(t Decision, set *grovev1alpha1.PodCliqueSet) bool {
	if t.Plan.Dialect != graphplan.DialectPack {
		return false
	}
	return set == nil || !writtenWithoutPack(set)
}

// writtenWithoutPack reports whether the constraints of a PodCliqueSet are in one of the older dialects.
func writtenWithoutPack(set *grovev1alpha1.PodCliqueSet) bool {
	older := func(tc *grovev1alpha1.TopologyConstraint) bool { return tc.Pack == nil }
	return slices.ContainsFunc(slices.Collect(maps.Values(topologyConstraintsOf(set))), older)
}

// checkPreferredHierarchy refuses a component that prefers a broader domain than its graph. Grove compares preferred domains with each other
// in the same way as required ones.
func checkPreferredHierarchy(g *graph.Graph, levels *grovev1alpha1.Topology) message.List {
	var errs message.List
	own := preferredDomain(g, "").domain
	for _, c := range preferredDomains(g) {
		if levels.Broader(c.domain, own) {
			errs = append(errs, message.Invalid(c.path, c.domain, "is broader than %s, which the graph prefers; specify that domain or a narrower domain", own))
		}
	}
	return errs
}
