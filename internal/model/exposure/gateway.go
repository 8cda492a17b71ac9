package exposure

import (
	"cmp"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Mesh stands for all sidecars of a service mesh in place of a gateway: a VirtualService applies to the requests of all pods.
// https://istio.io/latest/docs/reference/config/networking/virtual-service/#VirtualService
const Mesh = "mesh"

// A GatewayName is the name of a gateway with its namespace.
type GatewayName struct{ Namespace, Name string }

// String is the form that Istio recommends.
func (g GatewayName) String() string { return g.Namespace + "/" + g.Name }

// IsMesh reports whether this is the mesh, or a gateway of that name. Istio takes the name for a gateway if it has a namespace, but other readers
// of VirtualServices may not.
func (g GatewayName) IsMesh() bool { return g.Name == Mesh }

// ParseGateway reads the name of a gateway of Istio in a namespace, in each of the forms in which Istio reads it: name, namespace/name, ./name,
// and the older name.namespace, with or without the domain of the cluster. The result is false if it is none of them.
// https://github.com/istio/istio/blob/1.24.0/pilot/pkg/model/virtualservice.go (resolveGatewayName)
func ParseGateway(text, namespace string) (GatewayName, bool) {
	if in, name, qualified := strings.Cut(text, "/"); qualified {
		if in == "." {
			return gatewayName(namespace, name)
		}
		return gatewayName(in, name)
	}
	name, domain, older := strings.Cut(text, ".")
	if !older {
		return gatewayName(namespace, name)
	}
	in, _, _ := strings.Cut(domain, ".")
	gateway, valid := gatewayName(in, name)
	return gateway, valid && len(validation.IsDNS1123Subdomain(domain)) == 0
}

func gatewayName(namespace, name string) (GatewayName, bool) {
	valid := len(validation.IsDNS1123Subdomain(name)) == 0 && len(validation.IsDNS1123Label(namespace)) == 0
	return GatewayName{Namespace: namespace, Name: name}, valid
}

// GatewayName of a frontend that is exposed by a gateway, in a namespace. The result is false if it is exposed in another way.
func (e *Exposure) GatewayName(namespace string) (GatewayName, bool) {
	switch e.Kind {
	case VirtualService:
		return ParseGateway(e.VirtualServiceGateway, namespace)
	case HTTPRoute:
		return GatewayName{Namespace: cmp.Or(e.Gateway.Namespace, namespace), Name: e.Gateway.Name}, true
	case None, Ingress:
	}
	return GatewayName{}, false
}
