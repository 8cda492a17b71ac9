package guardrails

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/guardrails/guardrail"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/exposure"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// claims that the graph creates.
func (c *checker) claims() {
	for i, claim := range c.facts.Graph.PVCs {
		if !ptr.Deref(claim.Create, false) {
			continue
		}
		live := tree.Text(c.facts.Observed.Object(names.KeyPVC(claim.Name)), "storageClassName", "spec")
		c.name(field.NewPath("spec", "pvcs").Index(i).Child("storageClass"), claim.StorageClass, c.rail(guardrail.StorageClasses), live == claim.StorageClass)
	}
}

// host of a frontend that its user exposes. The platform itself names those of other frontends.
func (s *component) host(p *graphplan.Plan) {
	exposed := exposure.Of(s.spec, p.IngressDefaults)
	if exposed.Kind == exposure.None || s.spec.Ingress == nil || s.rails.IngressHostSuffixes == nil {
		return
	}
	host := exposed.Host
	r := rail{noun: "hosts", preposition: " below", allowed: s.rails.IngressHostSuffixes}
	if slices.ContainsFunc(r.allowed, func(suffix string) bool { return names.Match("*."+suffix, host) }) {
		return
	}
	s.violation(s.path.Child("ingress", "host"), host, message.Plain(r.String()), r.remedy(), slices.Contains(s.facts.Observed.Hosts(s.name), host))
}

// gateway of Istio or of the Gateway API that the user names. The one of the platform is always allowed.
func (s *component) gateway(p *graphplan.Plan) {
	namespace := s.facts.Graph.Namespace
	exposed := exposure.Of(s.spec, p.IngressDefaults)
	gateway, exists := exposed.GatewayName(namespace)
	if !exists || s.rails.Gateways == nil || s.spec.Ingress == nil || s.isOfPlatform(gateway, p.IngressDefaults) {
		return
	}
	r := rail{noun: "gateways", allowed: s.rails.Gateways}
	if slices.ContainsFunc(r.allowed, func(entry string) bool { return matchesGateway(entry, gateway) }) {
		return
	}
	runs := slices.ContainsFunc(s.facts.Observed.Gateways(s.name), func(live string) bool {
		running, valid := exposure.ParseGateway(live, namespace)
		return valid && running == gateway
	})
	s.violation(s.path.Child("ingress", "virtualServiceGateway"), gateway.String(), message.Plain(r.String()), r.remedy(), runs)
}

// isOfPlatform reports whether a gateway is one of those to which the platform exposes frontends by default.
func (s *component) isOfPlatform(gateway exposure.GatewayName, defaults graphplan.IngressDefaults) bool {
	for _, e := range []exposure.Exposure{
		{Kind: exposure.VirtualService, VirtualServiceGateway: defaults.VirtualServiceGateway},
		{Kind: exposure.HTTPRoute, Gateway: defaults.Gateway},
	} {
		if ofPlatform, exists := e.GatewayName(s.facts.Graph.Namespace); exists && ofPlatform == gateway {
			return true
		}
	}
	return false
}

// matchesGateway reports whether an entry, as namespace/name, allows a gateway. An asterisk does not stand for a slash.
func matchesGateway(entry string, gateway exposure.GatewayName) bool {
	namespace, name, _ := strings.Cut(entry, "/")
	return names.Match(namespace, gateway.Namespace) && names.Match(name, gateway.Name)
}
