package v1alpha1

// DiscoveryBackend is how the services of a graph discover each other.
//
// +kubebuilder:validation:Enum=kubernetes;etcd
type DiscoveryBackend string

// The discovery backends.
const (
	DiscoveryKubernetes DiscoveryBackend = "kubernetes"
	DiscoveryEtcd       DiscoveryBackend = "etcd"
)

// Discovery configures how the services of a graph discover each other.
type Discovery struct {
	// Backend of graphs without annotation nvidia.com/dynamo-discovery-backend. Defaults to kubernetes. Running graphs keep their
	// backend.
	Backend DiscoveryBackend `json:"backend,omitempty"`
}
