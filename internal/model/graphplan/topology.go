package graphplan

// TopologyDialect is the form in which a version of Grove accepts topology constraints.
type TopologyDialect string

// The dialects.
const (
	// DialectPackDomain is {packDomain}, before v0.1.0-alpha.9.
	DialectPackDomain TopologyDialect = "PackDomain"
	// DialectPackDomainWithTopologyName is {topologyName, packDomain}, in v0.1.0-alpha.9.
	DialectPackDomainWithTopologyName TopologyDialect = "PackDomainWithTopologyName"
	// DialectPack is {topologyName, pack: {required, preferred}}, since v0.1.0-alpha.10.
	DialectPack TopologyDialect = "Pack"
)

// Topology is how the topology constraints of the graph are written.
type Topology struct {
	// Name of the topology, which is the graph's topologyProfile.
	Name string `json:"name"`

	// Dialect of the constraints. Empty if none are written on Grove.
	Dialect TopologyDialect `json:"dialect"`

	// Missing are the domains of the graph that the topology does not have, sorted. It is only set for a graph that was created before they
	// were removed.
	Missing []string `json:"missing,omitempty"`

	// NotFound says that the topology itself was removed.
	NotFound bool `json:"notFound,omitempty"`

	// Undefined says that nothing could define a topology with that name: Grove is not installed, and the platform has no profile with that
	// name.
	Undefined bool `json:"undefined,omitempty"`

	// Preferred is the preferred domain of the graph as a whole on Grove.
	Preferred string `json:"preferred,omitempty"`

	// PreferredDomains are the preferred domains of components on Grove, by component.
	PreferredDomains map[string]string `json:"preferredDomains,omitempty"`

	// Unwritten says that no constraint of the graph is written, so that Grove reports on none: the graph only has preferred domains, which
	// this version of Grove does not support.
	Unwritten bool `json:"unwritten,omitempty"`

	// RecordName says that the PodCliqueSet is annotated with the name, because its constraints do not contain it.
	RecordName bool `json:"recordName,omitempty"`

	// KAITopology is the name of the KAI scheduler's own topology, by which LeaderWorkerSets are packed.
	KAITopology string `json:"kaiTopology,omitempty"`

	// Placements on LeaderWorkerSets by component: how each of its replicas is packed. Services that are not packed have no entry.
	Placements map[string]Placement `json:"placements,omitempty"`

	// MissingTiers are the tiers of these placements that no HyperNode of Volcano has, by component, as the spec of a HyperNode would have them.
	MissingTiers map[string]string `json:"missingTiers,omitempty"`
}

// TopologyLabel is a topology domain, and the label that its value has on nodes and on pods.
type TopologyLabel struct {
	Domain string `json:"domain"`
	Key    string `json:"key"`
}

// Placement is how each replica of a component is packed on LeaderWorkerSets.
type Placement struct {
	// Domain and PreferredDomain are in the annotations of the LeaderWorkerSets. Both are empty if the LeaderWorkerSets that recorded
	// them are lost.
	Domain          string `json:"domain,omitempty"`
	PreferredDomain string `json:"preferredDomain,omitempty"`

	// RequiredLabel and PreferredLabel are the node labels by which the KAI scheduler packs.
	RequiredLabel  string `json:"requiredLabel,omitempty"`
	PreferredLabel string `json:"preferredLabel,omitempty"`

	// Network is the constraint for Volcano.
	Network *NetworkTopology `json:"network,omitempty"`
}

// NetworkTopology of a PodGroup of Volcano, with the names of Volcano. Its webhook refuses both tiers together.
type NetworkTopology struct {
	// Mode is hard or soft.
	Mode               string `json:"mode,omitempty"`
	HighestTierName    string `json:"highestTierName,omitempty"`
	HighestTierAllowed *int   `json:"highestTierAllowed,omitempty"`
}
