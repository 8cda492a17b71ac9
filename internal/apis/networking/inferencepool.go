package networking

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Group, version and kind of an InferencePool.
const (
	InferenceGroup      = "inference.networking.k8s.io"
	InferenceAPIVersion = InferenceGroup + "/v1"
	KindInferencePool   = "InferencePool"
)

// InferencePool is a set of pods that serve models. Its Endpoint Picker selects one of them for each request.
type InferencePool struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec InferencePoolSpec `json:"spec"`
}

// InferencePoolSpec selects the pods and refers to their Endpoint Picker.
type InferencePoolSpec struct {
	Selector          PoolSelector      `json:"selector"`
	TargetPorts       []PoolPort        `json:"targetPorts"`
	EndpointPickerRef EndpointPickerRef `json:"endpointPickerRef"`
}

// PoolSelector selects pods that have all of the labels.
type PoolSelector struct {
	MatchLabels map[string]string `json:"matchLabels"`
}

// PoolPort is the number of a port.
type PoolPort struct {
	Number int32 `json:"number"`
}

// EndpointPickerRef is the Service of the Endpoint Picker.
type EndpointPickerRef struct {
	Kind string   `json:"kind"`
	Name string   `json:"name"`
	Port PoolPort `json:"port"`
}
