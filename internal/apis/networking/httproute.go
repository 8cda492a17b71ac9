package networking

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Group, version and kind of an HTTPRoute.
const (
	GatewayGroup      = "gateway.networking.k8s.io"
	GatewayAPIVersion = GatewayGroup + "/v1"
	KindHTTPRoute     = "HTTPRoute"
)

// PathPrefix matches the beginning of the path.
const PathPrefix = "PathPrefix"

// HTTPRoute routes requests for its hostnames that arrive at its parents.
type HTTPRoute struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec HTTPRouteSpec `json:"spec"`
}

// HTTPRouteSpec determines where requests are sent.
type HTTPRouteSpec struct {
	ParentRefs []ParentReference `json:"parentRefs"`
	Hostnames  []string          `json:"hostnames"`
	Rules      []HTTPRouteRule   `json:"rules"`
}

// ParentReference is a Gateway, or one of its listeners.
type ParentReference struct {
	Name        string `json:"name"`
	Namespace   string `json:"namespace,omitempty"`
	SectionName string `json:"sectionName,omitempty"`
}

// HTTPRouteRule sends matching requests to backends.
type HTTPRouteRule struct {
	Matches     []HTTPRouteMatch `json:"matches"`
	BackendRefs []BackendRef     `json:"backendRefs"`
}

// HTTPRouteMatch matches requests by their path.
type HTTPRouteMatch struct {
	Path HTTPPathMatch `json:"path"`
}

// HTTPPathMatch matches a path.
type HTTPPathMatch struct {
	Type  string `json:"type"`
	Value string `json:"value"`
}

// BackendRef is a port of a Service.
type BackendRef struct {
	Name string `json:"name"`
	Port int32  `json:"port"`
}
