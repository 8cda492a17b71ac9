// Package exposure decides how a frontend is exposed outside the cluster: by the settings of the user, and otherwise by those of the
// platform.
package exposure

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/apis/networking"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// Kind of the object that exposes a frontend.
type Kind string

// The kinds.
const (
	// None means that the frontend is only reachable within the cluster.
	None Kind = ""
	// Ingress is the Kubernetes kind.
	Ingress Kind = "Ingress"
	// VirtualService is the Istio kind.
	VirtualService Kind = networking.KindVirtualService
	// HTTPRoute is the kind of the Gateway API.
	HTTPRoute Kind = networking.KindHTTPRoute
)

// defaultHostSuffix is added to the host if neither the user nor the platform specifies one.
const defaultHostSuffix = "local"

// Exposure of one frontend.
type Exposure struct {
	Kind Kind
	Host string

	// ClassName and TLS of an Ingress. Without a class, the default class of the cluster applies.
	ClassName *string
	TLS       *v1alpha1.IngressTLS

	// VirtualServiceGateway of a VirtualService.
	VirtualServiceGateway string

	// Gateway of an HTTPRoute.
	Gateway graphplan.Gateway

	Labels map[string]string

	// Annotations of the user that the platform allows, and the names of those that it does not allow, sorted.
	Annotations map[string]string
	Refused     []string
}

// Of a component of a graph. Only frontends are exposed.
func Of(s *graph.Component, defaults graphplan.IngressDefaults) Exposure {
	if s.Type != v1beta1.ComponentFrontend {
		return Exposure{}
	}
	user := s.Ingress
	if user == nil {
		user = byDefault(s.Graph().Name, defaults)
	}
	if !user.Enabled {
		return Exposure{}
	}
	e := Exposure{
		Host:   HostOf(user, defaults.HostSuffix),
		Labels: user.Labels,
	}
	e.annotate(user.Annotations, defaults.AllowedAnnotations)
	e.ClassName = user.IngressControllerClassName
	if e.ClassName == nil && defaults.ClassName != "" {
		e.ClassName = new(defaults.ClassName)
	}
	switch {
	case user.UseVirtualService:
		e.Kind, e.ClassName = VirtualService, nil
		e.VirtualServiceGateway = cmp.Or(ptr.Deref(user.VirtualServiceGateway, ""), defaults.VirtualServiceGateway)
	case e.ClassName == nil && defaults.Gateway.Name != "":
		e.Kind, e.Gateway = HTTPRoute, defaults.Gateway
	default:
		e.Kind, e.TLS = Ingress, user.TLS
		if e.TLS == nil && defaults.TLSSecretName != "" {
			e.TLS = &v1alpha1.IngressTLS{SecretName: defaults.TLSSecretName}
		}
	}
	return e
}

// annotate an exposure with the allowed annotations. Many controllers read their global configuration from the annotations of a single
// object: https://github.com/kubernetes/ingress-nginx/issues/7837.
func (e *Exposure) annotate(annotations map[string]string, allowed []string) {
	for _, name := range slices.Sorted(maps.Keys(annotations)) {
		if !slices.Contains(allowed, name) {
			e.Refused = append(e.Refused, name)
			continue
		}
		if e.Annotations == nil {
			e.Annotations = map[string]string{}
		}
		e.Annotations[name] = annotations[name]
	}
}

// byDefault is the block of a frontend without one, which has the name of its graph as host. A platform with defaults exposes every frontend
// without settings: a class takes precedence over an Istio gateway, and that over a gateway of the Gateway API.
func byDefault(host string, defaults graphplan.IngressDefaults) *v1alpha1.Ingress {
	return &v1alpha1.Ingress{
		Enabled:           defaults.ClassName != "" || defaults.VirtualServiceGateway != "" || defaults.Gateway.Name != "",
		Host:              host,
		HostSuffix:        new(cmp.Or(defaults.HostSuffix, defaultHostSuffix)),
		UseVirtualService: defaults.ClassName == "" && defaults.VirtualServiceGateway != "",
	}
}

// HostOf a user's block is the complete host name. suffix is that of the platform. A host with dots already has a domain, unless the block
// itself specifies a suffix. An explicit empty suffix means that there is none.
func HostOf(user *v1alpha1.Ingress, suffix string) string {
	host := ptr.Deref(user.HostPrefix, "") + user.Host
	suffix = ptr.Deref(user.HostSuffix, cmp.Or(suffix, defaultHostSuffix))
	if suffix == "" || user.HostSuffix == nil && strings.Contains(user.Host, ".") {
		return host
	}
	return host + "." + suffix
}
