package topology

import (
	"cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
)

const requirementPodGroupSchema = "schema-podgroup"

// Modes of the network topology of a PodGroup.
const (
	networkHard = "hard"
	networkSoft = "soft"
)

// networkOfDomain is the constraint for Volcano: the tier of the HyperNodes that represent the domains. A PodGroup of Volcano has no node
// labels.
func networkOfDomain(f *subject.Facts, r *require.Requirements, mode, domain string, levels *grovev1alpha1.Topology) *graphplan.NetworkTopology {
	if tier, ok := f.Input.Volcano.Tiers[domain]; ok {
		return &graphplan.NetworkTopology{Mode: mode, HighestTierAllowed: &tier}
	}
	if volcanoDialect(f, r) == v1alpha1.VolcanoDialectTier {
		tier := tierOf(domain, levels)
		return &graphplan.NetworkTopology{Mode: mode, HighestTierAllowed: &tier}
	}
	return &graphplan.NetworkTopology{Mode: mode, HighestTierName: levels.KeyOf(domain)}
}

// tierOf a domain if Volcano discovers HyperNodes by the labels of the levels. Volcano requires the host as the lowest level and creates no
// HyperNodes for it, so the level above the host is tier 1. A host has a lower tier.
// https://volcano.sh/en/docs/network_topology_aware_scheduling/
func tierOf(domain string, levels *grovev1alpha1.Topology) int {
	domains := levels.Domains()
	host := levels.Host()
	if host < 0 {
		host = len(domains)
	}
	for i, d := range domains {
		if d == domain {
			return max(host-i, 0)
		}
	}
	return 0
}

// volcanoDialect is the form in which the installed Volcano accepts tiers. An older version silently drops the name of a tier and uses tier
// 1.
func volcanoDialect(f *subject.Facts, r *require.Requirements) v1alpha1.VolcanoTopologyDialect {
	if asked := cmp.Or(f.Input.Volcano.TopologyDialect, v1alpha1.VolcanoDialectAuto); asked != v1alpha1.VolcanoDialectAuto {
		return asked
	}
	schema, known, resolved := r.Schema(f.Answers, requirementPodGroupSchema, "scheduling.volcano.sh/v1beta1", "PodGroup")
	if known && resolved && len(schema.GetFields()) > 0 && require.Property(schema, "spec", "networkTopology", "highestTierName") == nil {
		return v1alpha1.VolcanoDialectTier
	}
	return v1alpha1.VolcanoDialectTierName
}
