package topology

import (
	"fmt"
	"slices"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
)

const (
	requirementHyperNodeAPI = "apiservice-hypernode"
	requirementHyperNodes   = "hypernodes"

	hyperNodeGroup   = "topology.volcano.sh"
	hyperNodeVersion = "v1alpha1"
)

// A hyperNode is what counts of a HyperNode of Volcano, which is a domain.
type hyperNode struct {
	Spec struct {
		Tier     int    `json:"tier"`
		TierName string `json:"tierName"`
	} `json:"spec"`
}

// missingTiers are the tiers of placements that no HyperNode has, by component. Volcano reports none of them: it schedules the pods unpacked, or
// lets them wait. If a domain is only preferred, it takes the narrowest HyperNodes that there are, whatever tier is named. HyperNodes are only
// looked up for a placement that requires one, because Crossplane wakes the graph whenever one changes.
func missingTiers(f *subject.Facts, r *require.Requirements, placements map[string]graphplan.Placement) map[string]string {
	var named []string
	for name, placement := range placements {
		if placement.Network != nil && placement.Network.Mode != networkSoft {
			named = append(named, name)
		}
	}
	if len(named) == 0 {
		return nil
	}
	existing, resolved := hyperNodes(f, r)
	if !resolved {
		return nil
	}
	var missing map[string]string
	for _, name := range named {
		network := placements[name].Network
		if slices.ContainsFunc(existing, func(n hyperNode) bool { return n.isOf(network) }) {
			continue
		}
		if missing == nil {
			missing = map[string]string{}
		}
		missing[name] = tierText(network)
	}
	return missing
}

// hyperNodes that exist. Where their API is not served, there are none, and Crossplane could not look them up.
func hyperNodes(f *subject.Facts, r *require.Requirements) (existing []hyperNode, resolved bool) {
	if !f.Installed(r, v1alpha1.ModeAuto, requirementHyperNodeAPI, hyperNodeVersion+"."+hyperNodeGroup) {
		return nil, true
	}
	objects, resolved := r.List(f.Answers, require.Objects{
		Name: requirementHyperNodes, APIVersion: hyperNodeGroup + "/" + hyperNodeVersion, Kind: "HyperNode",
	})
	for _, object := range objects {
		n := hyperNode{}
		if err := require.Into(object, &n); err == nil {
			existing = append(existing, n)
		}
	}
	return existing, resolved
}

// isOf reports whether a HyperNode has the tier of a constraint.
func (n hyperNode) isOf(network *graphplan.NetworkTopology) bool {
	if network.HighestTierAllowed != nil {
		return n.Spec.Tier == *network.HighestTierAllowed
	}
	return n.Spec.TierName == network.HighestTierName
}

// tierText is how the spec of a HyperNode has the tier of a constraint.
func tierText(network *graphplan.NetworkTopology) string {
	if network.HighestTierAllowed != nil {
		return fmt.Sprintf("tier %d", *network.HighestTierAllowed)
	}
	return "tierName " + network.HighestTierName
}
