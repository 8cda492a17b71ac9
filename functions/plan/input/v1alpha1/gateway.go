package v1alpha1

// GatewayAPI holds the detection of the Gateway API.
type GatewayAPI struct {
	// Mode is Auto (the default: detected by its API group if a frontend gets an HTTPRoute), Enabled or Disabled.
	Mode Mode `json:"mode,omitempty"`
}

// InferenceExtension holds the detection of the Gateway API Inference Extension.
type InferenceExtension struct {
	// Mode is Auto (the default: detected by its API group if a graph has an Endpoint Picker), Enabled or Disabled.
	Mode Mode `json:"mode,omitempty"`
}

// Gateway is a Gateway of the Gateway API.
type Gateway struct {
	// Name of the Gateway.
	//
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`

	// Namespace of the Gateway. Defaults to the namespace of the graph.
	Namespace string `json:"namespace,omitempty"`

	// SectionName of the listener. Defaults to all listeners that allow the route.
	SectionName string `json:"sectionName,omitempty"`
}
