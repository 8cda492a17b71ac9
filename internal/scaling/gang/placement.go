package gang

import (
	volcanov1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

// placement of each replica of a component. It is the zero value if the component is not packed.
func (b *Builder) placement(name string) graphplan.Placement {
	if b.Plan.Topology == nil {
		return graphplan.Placement{}
	}
	return b.Plan.Topology.Placements[name]
}

// place packs the pods of each LeaderWorkerSet into one domain of the topology. KAI reads this from the LeaderWorkerSet.
func (b *Builder) place(name string, annotations map[string]string) {
	placement := b.placement(name)
	if placement == (graphplan.Placement{}) {
		return
	}
	setUnlessEmpty(annotations, metadata.AnnotationKAITopology, b.Plan.Topology.KAITopology)
	setUnlessEmpty(annotations, metadata.AnnotationKAIRequiredPlacement, placement.RequiredLabel)
	setUnlessEmpty(annotations, metadata.AnnotationKAIPreferredPlacement, placement.PreferredLabel)
	b.mark(name, annotations)
}

// mark a LeaderWorkerSet with the request of the user, so that a change can be detected. Only the LeaderWorkerSet is annotated, because
// annotations on its pods would restart them.
func (b *Builder) mark(name string, annotations map[string]string) {
	placement := b.placement(name)
	if placement.Domain == "" && placement.PreferredDomain == "" {
		return
	}
	annotations[metadata.AnnotationTopologyProfile] = b.Plan.Topology.Name
	setUnlessEmpty(annotations, metadata.AnnotationPackDomain, placement.Domain)
	setUnlessEmpty(annotations, metadata.AnnotationPreferredDomain, placement.PreferredDomain)
}

func setUnlessEmpty(values map[string]string, key, value string) {
	if value != "" {
		values[key] = value
	}
}

// networkTopology of the gang of each replica of a component. nil if the component is not packed.
func (b *Builder) networkTopology(name string) *volcanov1beta1.NetworkTopologySpec {
	network := b.placement(name).Network
	if network == nil {
		return nil
	}
	return &volcanov1beta1.NetworkTopologySpec{
		Mode:               volcanov1beta1.NetworkTopologyMode(network.Mode),
		HighestTierName:    network.HighestTierName,
		HighestTierAllowed: network.HighestTierAllowed,
	}
}
