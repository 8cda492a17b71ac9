package v1alpha1

// MNNVLMode is who creates the domains in which GPU pods communicate over multi-node NVLink.
//
// +kubebuilder:validation:Enum=Disabled;Auto;Grove
type MNNVLMode string

// The modes.
const (
	// MNNVLDisabled creates no domains for new graphs.
	MNNVLDisabled MNNVLMode = "Disabled"
	// MNNVLAuto composes ComputeDomains and the claims of GPU pods, on every orchestrator.
	MNNVLAuto MNNVLMode = "Auto"
	// MNNVLGrove lets Grove create the domains, which must be enabled in the configuration of Grove.
	MNNVLGrove MNNVLMode = "Grove"
)

// MNNVLScope is what shares a ComputeDomain.
//
// +kubebuilder:validation:Enum=Graph;Replica
type MNNVLScope string

// The scopes.
const (
	// MNNVLScopeGraph is one domain for each graph.
	MNNVLScopeGraph MNNVLScope = "Graph"
	// MNNVLScopeReplica is one domain for each replica of a component that spans nodes, on LeaderWorkerSets.
	MNNVLScopeReplica MNNVLScope = "Replica"
)

// MNNVL is the policy for multi-node NVLink. Except for gpusPerNode, it is applied when a graph is created: changes affect
// new graphs only.
type MNNVL struct {
	// Mode is Disabled (the default), Auto or Grove.
	Mode MNNVLMode `json:"mode,omitempty"`

	// Scope of a domain in mode Auto: Graph (the default) or Replica.
	Scope MNNVLScope `json:"scope,omitempty"`

	// GPUsPerNode is the number of GPUs of the nodes with the fabric. Defaults to 4, which is a tray of GB200. The driver allows
	// one pod with a channel per node, so there is a warning if a pod requests fewer GPUs.
	//
	// +kubebuilder:validation:Minimum=1
	GPUsPerNode *int32 `json:"gpusPerNode,omitempty"`

	// RequireClique restricts the pods of a domain, in mode Auto, to nodes with label nvidia.com/gpu.clique. Defaults to false.
	RequireClique bool `json:"requireClique,omitempty"`

	// Driver is the mode of the NVIDIA DRA driver: Auto (the default: detected by its API group), Enabled or Disabled.
	Driver Mode `json:"driver,omitempty"`
}
