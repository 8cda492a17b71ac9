package v1alpha1

import "cmp"

// DiscoveryBackend is how the components of a graph discover each other.
//
// +kubebuilder:validation:Enum=kubernetes;etcd
type DiscoveryBackend string

// The discovery backends.
const (
	DiscoveryKubernetes DiscoveryBackend = "kubernetes"
	DiscoveryEtcd       DiscoveryBackend = "etcd"
)

// Discovery configures how the components of a graph discover each other.
type Discovery struct {
	// Backend of graphs without annotation nvidia.com/dynamo-discovery-backend. Defaults to kubernetes. Running graphs keep their
	// backend.
	Backend DiscoveryBackend `json:"backend,omitempty"`
}

// BackendOrDefault is the backend of graphs that name none.
func (d *Discovery) BackendOrDefault() DiscoveryBackend {
	return cmp.Or(d.Backend, DiscoveryKubernetes)
}
