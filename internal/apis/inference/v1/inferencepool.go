// Package v1 contains the fields of the Gateway API Inference Extension that the chain writes. The API server sets defaults for all others.
// https://gateway-api-inference-extension.sigs.k8s.io/reference/spec/
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Group, version and kind of an InferencePool.
const (
	Group      = "inference.networking.k8s.io"
	APIVersion = Group + "/v1"
	Kind       = "InferencePool"
)

// InferencePool is a set of pods that serve models. Its Endpoint Picker selects one of them for each request.
type InferencePool struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec InferencePoolSpec `json:"spec"`
}

// InferencePoolSpec selects the pods and refers to their Endpoint Picker.
type InferencePoolSpec struct {
	Selector          LabelSelector     `json:"selector"`
	TargetPorts       []Port            `json:"targetPorts"`
	EndpointPickerRef EndpointPickerRef `json:"endpointPickerRef"`
}

// LabelSelector selects pods that have all of the labels.
type LabelSelector struct {
	MatchLabels map[string]string `json:"matchLabels"`
}

// Port is the number of a port.
type Port struct {
	Number int32 `json:"number"`
}

// EndpointPickerRef is the Service of the Endpoint Picker.
type EndpointPickerRef struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	Port Port   `json:"port"`
}
