package networking

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Group, version and kinds.
const (
	IstioGroup          = "networking.istio.io"
	IstioAPIVersion     = IstioGroup + "/v1"
	KindVirtualService  = "VirtualService"
	KindDestinationRule = "DestinationRule"
)

// DestinationRule says how proxies of the mesh call a Service.
// https://istio.io/latest/docs/reference/config/networking/destination-rule/
type DestinationRule struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec DestinationRuleSpec `json:"spec"`
}

// DestinationRuleSpec names the Service. A host without dots is a Service in the namespace of the rule.
type DestinationRuleSpec struct {
	Host          string        `json:"host"`
	TrafficPolicy TrafficPolicy `json:"trafficPolicy"`
}

// TrafficPolicy of a host.
type TrafficPolicy struct {
	TLS ClientTLSSettings `json:"tls"`
}

// ClientTLSSettings of connections to a host.
type ClientTLSSettings struct {
	Mode               string `json:"mode"`
	InsecureSkipVerify *bool  `json:"insecureSkipVerify,omitempty"`
}

// VirtualService routes the traffic of hosts that arrives at gateways.
type VirtualService struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec VirtualServiceSpec `json:"spec"`
}

// VirtualServiceSpec determines where traffic is sent.
type VirtualServiceSpec struct {
	Hosts    []string              `json:"hosts"`
	Gateways []string              `json:"gateways"`
	HTTP     []VirtualServiceRoute `json:"http"`
}

// VirtualServiceRoute sends matching requests to a destination.
type VirtualServiceRoute struct {
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
