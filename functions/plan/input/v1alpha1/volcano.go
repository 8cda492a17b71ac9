package v1alpha1

// Volcano holds detection and settings of the Volcano scheduler.
type Volcano struct {
	// Mode is Auto (the default: detected by its API group), Enabled or Disabled.
	Mode Mode `json:"mode,omitempty"`

	// Queue of graphs without annotation scheduling.volcano.sh/queue-name, or nvidia.com/volcano-queue on Grove. Defaults to default.
	// Running graphs keep their queue.
	Queue string `json:"queue,omitempty"`

	// TopologyDialect of the installed version. Defaults to Auto.
	TopologyDialect VolcanoTopologyDialect `json:"topologyDialect,omitempty"`

	// Tiers of HyperNodes by topology domain, for domains whose tier cannot be derived from the levels of the topology. Each
	// must be at least 1.
	Tiers map[string]int `json:"tiers,omitempty"`
}

// VolcanoTopologyDialect is the format of topology constraints in a version of Volcano.
//
// +kubebuilder:validation:Enum=Auto;TierName;Tier
type VolcanoTopologyDialect string

// The dialects of Volcano.
const (
	// VolcanoDialectAuto detects the dialect if the caller supports it, and is TierName otherwise.
	VolcanoDialectAuto VolcanoTopologyDialect = "Auto"
	// VolcanoDialectTierName is {highestTierName}, the node label of the level: Volcano 1.14 and later with HyperNodes that are
	// discovered by label.
	VolcanoDialectTierName VolcanoTopologyDialect = "TierName"
	// VolcanoDialectTier is {highestTierAllowed}, a number that is counted upwards from the host level: Volcano 1.12 and 1.13.
	VolcanoDialectTier VolcanoTopologyDialect = "Tier"
)
