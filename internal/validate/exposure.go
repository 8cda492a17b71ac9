package validate

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	netutils "k8s.io/utils/net"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/exposure"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
)

// exposure checks the host of an ingress in the form in which it is written.
func (v *validator) exposure(path *field.Path, in *v1alpha1.Ingress) {
	if in == nil || !in.Enabled {
		return
	}
	switch host := exposure.HostOf(in, v.options.HostSuffix); {
	case in.Host == "":
		// This is a separate error.
	case strings.Contains(host, "*"):
		v.invalid(path.Child("host"), in.Host, "must be a single host without a wildcard, such as llama.example.org")
	case netutils.ParseIPSloppy(host) != nil:
		v.invalid(path.Child("host"), in.Host, "must be a host name such as llama.example.org, not an IP address")
	case !isHostName(host):
		v.invalid(path.Child("host"), in.Host, "must form, together with hostPrefix and hostSuffix, a host name of lower-case letters, digits, dashes and dots, with at most 63 characters between dots, and without a scheme, port or path")
	}
	if class := ptr.Deref(in.IngressControllerClassName, ""); class != "" {
		v.objectName(path.Child("ingressControllerClassName"), class, "IngressClass")
	}
	if gateway := ptr.Deref(in.VirtualServiceGateway, ""); gateway != "" && in.UseVirtualService {
		if _, valid := exposure.ParseGateway(gateway, v.graph.Namespace); !valid {
			v.invalid(path.Child("virtualServiceGateway"), gateway, "must be the name of a gateway of Istio, or namespace/name, such as istio-system/public")
		}
	}
	if in.TLS != nil && in.TLS.SecretName != "" {
		v.objectName(path.Child("tls", "secretName"), in.TLS.SecretName, "Secret")
	}
}

// isHostName reports whether a name is valid in DNS. The API server does not check the length of its labels.
func isHostName(host string) bool {
	return len(validation.IsDNS1123Subdomain(host)) == 0 &&
		!slices.ContainsFunc(strings.Split(host, "."), func(label string) bool { return len(label) > validation.DNS1123LabelMaxLength })
}

// ingress warns of settings that the kind of exposure does not support.
func (w *warnings) ingress(path *field.Path, s *graph.Component) {
	in := s.Ingress
	switch {
	case in == nil || !in.Enabled:
	case s.Type != v1beta1.ComponentFrontend:
		w.add(path, "has no effect; only frontends are exposed")
	case in.UseVirtualService:
		if in.IngressControllerClassName != nil {
			w.add(path.Child("ingressControllerClassName"), "has no effect on a VirtualService; remove it, or remove useVirtualService")
		}
		if in.TLS != nil {
			w.add(path.Child("tls"), "has no effect on a VirtualService; the certificate belongs to its gateway")
		}
	case ptr.Deref(in.VirtualServiceGateway, "") != "":
		w.add(path.Child("virtualServiceGateway"), "has no effect without useVirtualService: true")
	}
}

func (v *validator) ingress(path *field.Path, s *graph.Component) {
	in := s.Ingress
	if in == nil {
		return
	}
	v.labels(path.Child("labels"), in.Labels)
	v.annotationKeys(path.Child("annotations"), in.Annotations)
	if !in.Enabled {
		return
	}
	if in.Host == "" {
		v.required(path.Child("host"), "is required when ingress is enabled")
	}
	if in.UseVirtualService && ptr.Deref(in.VirtualServiceGateway, "") == "" && !v.options.VirtualServiceGateway {
		v.required(path.Child("virtualServiceGateway"), "is required for a VirtualService, because the platform has no default gateway")
	}
}
