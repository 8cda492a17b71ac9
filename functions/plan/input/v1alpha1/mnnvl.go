package v1alpha1

// MNNVLMode is who gives GPU pods the domain in which they reach each other over multi-node NVLink.
//
// +kubebuilder:validation:Enum=Disabled;Auto;Grove
type MNNVLMode string

// The modes.
const (
	// MNNVLDisabled gives new graphs no domain.
	MNNVLDisabled MNNVLMode = "Disabled"
	// MNNVLAuto composes ComputeDomains, and the claims of GPU pods, on every orchestrator.
	MNNVLAuto MNNVLMode = "Auto"
	// MNNVLGrove leaves it to Grove's own feature, which must be on in Grove's configuration.
	MNNVLGrove MNNVLMode = "Grove"
)

// MNNVLScope is what shares one ComputeDomain.
//
// +kubebuilder:validation:Enum=Graph;Replica
type MNNVLScope string

// The scopes.
const (
	// MNNVLScopeGraph is one domain for each graph.
	MNNVLScopeGraph MNNVLScope = "Graph"
	// MNNVLScopeReplica is one domain for each replica of a service that spans nodes, on LeaderWorkerSets.
	MNNVLScopeReplica MNNVLScope = "Replica"
)

// MNNVL is the policy for multi-node NVLink. All of it is decided when a graph is created, but for gpusPerNode: another
// policy changes new graphs only.
type MNNVL struct {
	// Mode is Disabled (the default), Auto or Grove.
	Mode MNNVLMode `json:"mode,omitempty"`

	// Scope of a domain in mode Auto: Graph (the default) or Replica.
	Scope MNNVLScope `json:"scope,omitempty"`

	// GPUsPerNode of the nodes that have the fabric. Default 4: a tray of GB200. The driver allows one pod with a channel
	// per node, so a pod that asks for fewer is warned of.
	//
	// +kubebuilder:validation:Minimum=1
	GPUsPerNode *int32 `json:"gpusPerNode,omitempty"`

	// RequireClique keeps the pods of a domain, in mode Auto, on nodes with label nvidia.com/gpu.clique. Default false.
	RequireClique bool `json:"requireClique,omitempty"`

	// Driver for dynamic resource allocation of NVIDIA: Auto (the default: detected by its API group), Enabled or Disabled.
	Driver Mode `json:"driver,omitempty"`
}
