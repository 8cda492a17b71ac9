package graphplan

import corev1 "k8s.io/api/core/v1"

// Resources of a container.
type Resources struct {
	Requests corev1.ResourceList `json:"requests,omitempty"`
	Limits   corev1.ResourceList `json:"limits,omitempty"`
}

// Has reports whether a resource is requested or limited.
func (r Resources) Has(name corev1.ResourceName) bool {
	_, requested := r.Requests[name]
	_, limited := r.Limits[name]
	return requested || limited
}
