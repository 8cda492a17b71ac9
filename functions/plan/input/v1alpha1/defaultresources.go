package v1alpha1

import "k8s.io/apimachinery/pkg/api/resource"

// DefaultResources are the CPU and memory of main containers for which the user requests none. If the user sets a request or a limit of
// a resource, in the component or for the whole pod, the resource gets no default. Changes do not affect running pods.
type DefaultResources struct {
	// Requests of the main container. If there is only a limit, Kubernetes takes it as the request.
	Requests ResourceAmounts `json:"requests,omitempty"`

	// Limits of the main container. Each must be at least the request.
	Limits ResourceAmounts `json:"limits,omitempty"`
}

// ResourceAmounts are amounts of CPU and memory.
type ResourceAmounts struct {
	// CPU, such as 500m or 4. 0 means no default: an entry for namespaces removes the default of all namespaces with it.
	// +optional
	CPU *resource.Quantity `json:"cpu,omitempty"`

	// Memory, such as 16Gi. 0 means no default: an entry for namespaces removes the default of all namespaces with it.
	// +optional
	Memory *resource.Quantity `json:"memory,omitempty"`
}
