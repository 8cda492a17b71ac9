package grove

import (
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/grovev1alpha1"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
)

// topology writes a constraint in the dialect of the installed Grove; nil without a domain, since Grove refuses a
// constraint that holds only a name.
func (b *builder) topology(domain string) *grovev1alpha1.TopologyConstraint {
	if domain == "" || b.plan.Topology == nil {
		return nil
	}
	switch inputv1alpha1.TopologyDialect(b.plan.Topology.Dialect) {
	case inputv1alpha1.DialectPackDomain:
		return &grovev1alpha1.TopologyConstraint{PackDomain: domain}
	case inputv1alpha1.DialectPackDomainWithTopologyName:
		return &grovev1alpha1.TopologyConstraint{TopologyName: b.plan.Topology.Name, PackDomain: domain}
	default:
		return &grovev1alpha1.TopologyConstraint{
			TopologyName: b.plan.Topology.Name,
			Pack:         &grovev1alpha1.TopologyPack{Required: domain},
		}
	}
}
