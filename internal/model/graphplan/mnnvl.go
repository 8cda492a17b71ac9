package graphplan

// MNNVLMode says who creates the NVLink domains for the GPU pods of a graph.
type MNNVLMode string

// The modes. The zero value means that the graph has no domain.
const (
	// MNNVLAuto are ComputeDomains that the chain composes.
	MNNVLAuto MNNVLMode = "Auto"
	// MNNVLGrove is Grove's own feature.
	MNNVLGrove MNNVLMode = "Grove"
	// MNNVLDisabled is the value in the status of a graph without a domain, so that step plan remembers the decision. A plan has no mode
	// instead.
	MNNVLDisabled MNNVLMode = "Disabled"
)

// MNNVLScope says which pods share one ComputeDomain.
type MNNVLScope string

// The scopes.
const (
	// ScopeGraph is one domain for the graph.
	ScopeGraph MNNVLScope = "Graph"
	// ScopeReplica is one domain for each replica of a multinode component on LeaderWorkerSets.
	ScopeReplica MNNVLScope = "Replica"
)

// MNNVL contains the decisions about multi-node NVLink.
type MNNVL struct {
	// Mode in which the graph has domains. Empty if it has none.
	Mode MNNVLMode `json:"mode,omitempty"`

	// Scope of a domain. Only in mode Auto.
	Scope MNNVLScope `json:"scope,omitempty"`

	// Members are the components whose GPU containers claim a channel of their domain, by name. Only in mode Auto. A graph keeps its domain
	// even if it has no members any more.
	Members map[string]MNNVLMember `json:"members,omitempty"`
}

// MNNVLMember is a component that claims channels.
type MNNVLMember struct {
	// GPUs are the resource names that make a container a GPU container, sorted.
	GPUs []string `json:"gpus"`

	// GPUClaim is the claim of the pod through which containers share its GPUs. Containers that use it are GPU containers too. Empty if there
	// is none.
	GPUClaim string `json:"gpuClaim,omitempty"`

	// RequireClique says that the pods are restricted to nodes of an NVLink clique.
	RequireClique bool `json:"requireClique,omitempty"`
}
