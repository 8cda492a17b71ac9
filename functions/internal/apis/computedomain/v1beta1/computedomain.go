// Package v1beta1 holds the fields of resource.nvidia.com/v1beta1 that this project writes. The driver's own Go
// type leaves out a numNodes of 0, which its CustomResourceDefinitions up to v25.12 require; tests check this one against
// them.
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
	// NumNodes that the driver waits for before it calls the domain ready. 0 is any number; it has to be written.
	NumNodes int32   `json:"numNodes"`
	Channel  Channel `json:"channel"`
}

// Channel by which a pod takes part in the domain.
type Channel struct {
	ResourceClaimTemplate ResourceClaimTemplate `json:"resourceClaimTemplate"`
}

// ResourceClaimTemplate that the driver makes for the claims of pods.
type ResourceClaimTemplate struct {
	Name string `json:"name"`
}
