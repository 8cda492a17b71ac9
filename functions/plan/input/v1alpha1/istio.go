package v1alpha1

// Istio holds the detection of Istio, and how its mesh calls Endpoint Pickers.
type Istio struct {
	// Mode is Auto (the default: detected by its API group if a graph requests one of its kinds), Enabled or Disabled.
	Mode Mode `json:"mode,omitempty"`

	// EndpointPickers of all graphs get a DestinationRule. Without the rule, a gateway in the mesh may call them by TLS within TLS.
	// +optional
	EndpointPickers *IstioTLS `json:"endpointPickers,omitempty"`
}

// IstioTLS is how proxies of the mesh connect to a Service.
type IstioTLS struct {
	// TLSMode is SIMPLE (the default, because Endpoint Pickers serve TLS), ISTIO_MUTUAL or DISABLE.
	TLSMode IstioTLSMode `json:"tlsMode,omitempty"`

	// InsecureSkipVerify accepts every certificate. Defaults to true, because Endpoint Pickers have self-signed certificates.
	// +optional
	InsecureSkipVerify *bool `json:"insecureSkipVerify,omitempty"`
}

// IstioTLSMode of a DestinationRule.
// +kubebuilder:validation:Enum=DISABLE;ISTIO_MUTUAL;SIMPLE
type IstioTLSMode string

// The modes.
const (
	IstioTLSDisable     IstioTLSMode = "DISABLE"
	IstioTLSIstioMutual IstioTLSMode = "ISTIO_MUTUAL"
	IstioTLSSimple      IstioTLSMode = "SIMPLE"
)
