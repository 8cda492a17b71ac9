package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// TopologyDialect is the format of topology constraints in a version of Grove.
//
// +kubebuilder:validation:Enum=Auto;PackDomain;PackDomainWithTopologyName;Pack
type TopologyDialect string

// The dialects of Grove.
const (
	// DialectAuto detects the dialect if the caller supports it, and is Pack otherwise.
	DialectAuto TopologyDialect = "Auto"
	// DialectPackDomain is {packDomain}: Grove v0.1.0-alpha.8 and before, with a ClusterTopology.
	DialectPackDomain TopologyDialect = "PackDomain"
	// DialectPackDomainWithTopologyName is {packDomain, topologyName}: v0.1.0-alpha.9, with a ClusterTopologyBinding.
	DialectPackDomainWithTopologyName TopologyDialect = "PackDomainWithTopologyName"
	// DialectPack is {topologyName, pack: {required}}: v0.1.0-alpha.10 and later, with a ClusterTopologyBinding.
	DialectPack TopologyDialect = "Pack"
)

// Grove holds detection and settings of Grove.
type Grove struct {
	// Mode is Auto (the default: detected by its API group), Enabled or Disabled.
	Mode Mode `json:"mode,omitempty"`

	// TerminationDelay is how long a gang may stay below its minimum before Grove terminates it. Must be greater than 0.
	// Defaults to 15m.
	TerminationDelay *metav1.Duration `json:"terminationDelay,omitempty"`

	// TopologyDialect of the installed version. Defaults to Auto.
	TopologyDialect TopologyDialect `json:"topologyDialect,omitempty"`

	// Scheduler of pods on Grove that do not name a scheduler: Auto (the default: KAI if it is installed, otherwise the default of the
	// cluster), or Volcano, which requires Grove v0.1.0-alpha.10 or later with its backend for Volcano. Running graphs keep their scheduler.
	Scheduler GroveScheduler `json:"scheduler,omitempty"`
}

// GroveScheduler of pods on Grove that name none.
//
// +kubebuilder:validation:Enum=Auto;Volcano
type GroveScheduler string

// The schedulers of pods on Grove.
const (
	// GroveSchedulerAuto is KAI if it is installed, and otherwise the default of the cluster.
	GroveSchedulerAuto GroveScheduler = "Auto"
	// GroveSchedulerVolcano is Volcano, also if KAI is installed.
	GroveSchedulerVolcano GroveScheduler = "Volcano"
)
