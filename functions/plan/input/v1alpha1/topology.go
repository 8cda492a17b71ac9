package v1alpha1

// Topology is the policy for topology constraints.
type Topology struct {
	// AllowWithoutKAI allows topology constraints on Grove if KAI is not installed. With a scheduler that does not support
	// topology they have no effect, or prevent pods from being scheduled.
	AllowWithoutKAI bool `json:"allowWithoutKAI,omitempty"`

	// PodLabels are the labels of nodes that something copies to the pods that are scheduled to them, by which workers of graphs with a
	// kvTransferPolicy find their topology domain. Defaults to topology.kubernetes.io/region and topology.kubernetes.io/zone, which
	// Kubernetes copies since version 1.35. Set it to [] in a cluster where nothing copies labels of nodes.
	//
	// +kubebuilder:validation:MaxItems=100
	PodLabels []string `json:"podLabels,omitempty"`

	// Profiles define topologies for graphs that do not run on Grove. They take precedence over Grove's topology objects.
	Profiles []TopologyProfile `json:"profiles,omitempty"`
}

// TopologyProfile defines a topology.
type TopologyProfile struct {
	// Name that graphs use in topologyConstraint.topologyProfile. If KAI schedules the pods, its Topology must have the same
	// name.
	Name string `json:"name"`

	// Levels of the topology, broadest first.
	//
	// +kubebuilder:validation:MinItems=1
	Levels []TopologyLevel `json:"levels"`
}

// TopologyLevel is one level of a topology.
type TopologyLevel struct {
	// Domain is the name that graphs use to refer to the level, such as rack.
	Domain string `json:"domain"`

	// Key is the node label whose values are the domains of the level.
	Key string `json:"key"`
}
