package plan

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/exposure"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/tree"
)

// keepHosts of live frontends that are reached by a host with dots and the suffix after it, as earlier versions wrote it: their
// clients know them by it.
func (d *decider) keepHosts(out *decision, p *graphplan.Plan) {
	for _, name := range d.graph.ServiceNames() {
		service := d.graph.Spec.Services[name]
		exposed := exposure.Of(d.graph.Name, &service, p.IngressDefaults)
		if exposed.Kind == exposure.None || service.Ingress == nil {
			continue
		}
		before := exposure.SuffixedHostOf(service.Ingress, p.IngressDefaults.HostSuffix)
		if before == exposed.Host || !slices.Contains(d.exposedHosts(name), before) {
			continue
		}
		decided := p.Services[name]
		decided.Host = before
		p.Services[name] = decided
		out.warnings = append(out.warnings, fmt.Sprintf("%s: %s has dots and is a whole host name, but the live graph keeps host %s: "+
			`set ingress.hostSuffix to "" to change to %s, or to %q to keep it`,
			field.NewPath("spec", "services").Key(name).Child("ingress", "host"), service.Ingress.Host, before, exposed.Host,
			strings.TrimPrefix(before, exposed.Host+".")))
	}
}

// exposedHosts are those of the observed objects through which a frontend is reached.
func (d *decider) exposedHosts(service string) []string {
	observed := func(key resource.Name) *structpb.Struct {
		return tree.At(d.req.GetObserved().GetResources()[string(key)].GetResource(), "spec")
	}
	var hosts []string
	for _, rule := range observed(names.KeyIngress(service)).GetFields()["rules"].GetListValue().GetValues() {
		hosts = append(hosts, tree.Text(rule.GetStructValue(), "host"))
	}
	for _, host := range slices.Concat(
		observed(names.KeyVirtualService(service)).GetFields()["hosts"].GetListValue().GetValues(),
		observed(names.KeyHTTPRoute(service)).GetFields()["hostnames"].GetListValue().GetValues(),
	) {
		hosts = append(hosts, host.GetStringValue())
	}
	return hosts
}

// warnExposures warns of what a block asks for that the platform does not allow, and that an HTTPRoute cannot do: that it is
// one, the platform decides.
func warnExposures(g *graph.Graph, defaults graphplan.IngressDefaults) []string {
	var warnings []string
	for _, name := range g.ServiceNames() {
		service := g.Spec.Services[name]
		path := field.NewPath("spec", "services").Key(name).Child("ingress")
		exposed := exposure.Of(g.Name, &service, defaults)
		if exposed.Kind == exposure.HTTPRoute && service.Ingress != nil && service.Ingress.TLS != nil {
			warnings = append(warnings, path.Child("tls").String()+": has no effect on an HTTPRoute; its Gateway holds the certificate")
		}
		for _, annotation := range exposed.Refused {
			warnings = append(warnings, fmt.Sprintf("%s: is not set on the %s, because the platform does not allow it: remove it, or let the platform add it to ingress.allowedAnnotations in the input of step plan",
				path.Child("annotations").Key(annotation), exposed.Kind))
		}
	}
	return warnings
}
