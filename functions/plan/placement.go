package plan

import (
	"cmp"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/grovev1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/require"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
)

// planPlacements decides by which node label KAI packs each replica of the services that span nodes. The domains are
// those of Grove's topology object, which may be there although the graph does not run on Grove. It returns none when
// nothing is packed. What is packed already stays so: another placement would move its pods.
func planPlacements(g *graph.Graph, c cluster, m *memory, in *v1alpha1.Input, r *require.Requirements) (*graphplan.Topology, field.ErrorList) {
	placements, open := map[string]string{}, map[string]string{}
	for name, domain := range placedDomains(g) {
		switch key, decided := m.gangs.placements[names.Lower(name)]; {
		case !decided:
			open[name] = domain
		case key != "":
			placements[name] = key
		}
	}
	if len(placements) == 0 && (len(open) == 0 || !c.grove) {
		return nil, nil
	}
	t, topology := &graphplan.Topology{Name: g.Spec.TopologyConstraint.TopologyProfile, NotFound: true}, &grovev1alpha1.Topology{}
	var errs field.ErrorList
	if c.grove {
		if t, topology, errs = findTopology(g, m, in, r); t == nil {
			return nil, errs
		}
	}
	for name, domain := range open {
		if key := topology.KeyOf(domain); key != "" {
			placements[name] = key
		}
	}
	t.Name = cmp.Or(m.gangs.topology, topology.ReferenceOf(kaiScheduler), t.Name)
	t.Placements = placements
	return t, errs
}

// placedDomains are the domains of the services that span nodes: their own, else the graph's.
func placedDomains(g *graph.Graph) map[string]string {
	domains := map[string]string{}
	if g.Spec.TopologyConstraint == nil {
		return domains
	}
	for _, name := range g.ServiceNames() {
		service := g.Spec.Services[name]
		domain := g.Spec.TopologyConstraint.PackDomain
		if service.TopologyConstraint != nil {
			domain = cmp.Or(service.TopologyConstraint.PackDomain, domain)
		}
		if pod.IsMultinode(&service) && domain != "" {
			domains[name] = domain
		}
	}
	return domains
}
