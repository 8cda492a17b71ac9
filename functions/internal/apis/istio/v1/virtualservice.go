// Package v1 contains the fields of Istio's networking API that the chain writes. Istio's own module would add its protobuf definitions and
// their dependencies.
// https://istio.io/latest/docs/reference/config/networking/virtual-service/
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Group, version and kind of a VirtualService.
const (
	Group      = "networking.istio.io"
	APIVersion = Group + "/v1"
	Kind       = "VirtualService"
)

// VirtualService routes traffic for its hosts that arrives at gateways.
type VirtualService struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec VirtualServiceSpec `json:"spec"`
}

// VirtualServiceSpec determines where traffic is sent.
type VirtualServiceSpec struct {
	Hosts    []string    `json:"hosts"`
	Gateways []string    `json:"gateways"`
	HTTP     []HTTPRoute `json:"http"`
}

// HTTPRoute sends matching requests to a destination.
type HTTPRoute struct {
	Match []HTTPMatchRequest     `json:"match"`
	Route []HTTPRouteDestination `json:"route"`
}

// HTTPMatchRequest matches requests by their path.
type HTTPMatchRequest struct {
	URI StringMatch `json:"uri"`
}

// StringMatch matches the beginning of a string.
type StringMatch struct {
	Prefix string `json:"prefix"`
}

// HTTPRouteDestination is the destination of requests.
type HTTPRouteDestination struct {
	Destination Destination `json:"destination"`
}

// Destination is a port of a Service.
type Destination struct {
	Host string       `json:"host"`
	Port PortSelector `json:"port"`
}

// PortSelector is the number of a port.
type PortSelector struct {
	Number uint32 `json:"number"`
}
