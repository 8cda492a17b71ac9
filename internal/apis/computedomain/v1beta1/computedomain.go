// Package v1beta1 contains the fields of resource.nvidia.com/v1beta1 that this project writes. The Go type of the driver omits a numNodes
// of 0, which its CustomResourceDefinitions up to v25.12 require. Tests compare this type with them.
package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// APIVersion and kind of the NVIDIA DRA driver.
const (
	APIVersion = "resource.nvidia.com/v1beta1"
	Kind       = "ComputeDomain"
)

// ComputeDomain is a set of nodes whose GPUs share memory over NVLink.
type ComputeDomain struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec Spec `json:"spec"`
}

// Spec of a ComputeDomain. It is immutable.
type Spec struct {
	// NumNodes is the number of nodes that the driver waits for before the domain is ready. 0 means any number, and must be written.
	NumNodes int32   `json:"numNodes"`
	Channel  Channel `json:"channel"`
}

// Channel with which a pod joins the domain.
type Channel struct {
	ResourceClaimTemplate ResourceClaimTemplate `json:"resourceClaimTemplate"`
}

// ResourceClaimTemplate that the driver creates for the claims of pods.
type ResourceClaimTemplate struct {
	Name string `json:"name"`
}
