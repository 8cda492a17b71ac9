package services

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/exposure"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/resource"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/tree"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
)

// LiveHosts are the hosts, by service, of live frontends whose host has dots followed by the suffix, which earlier versions added. Clients
// use these hosts.
func LiveHosts(f *subject.Facts, defaults graphplan.IngressDefaults) (map[string]string, subject.Outcome) {
	var outcome subject.Outcome
	hosts := map[string]string{}
	for _, name := range f.Graph.ServiceNames() {
		service := f.Graph.Spec.Services[name]
		exposed := exposure.Of(f.Graph.Name, &service, defaults)
		if exposed.Kind == exposure.None || service.Ingress == nil {
			continue
		}
		before := exposure.SuffixedHostOf(service.Ingress, defaults.HostSuffix)
		if before == exposed.Host || !slices.Contains(exposedHosts(f.Observed, name), before) {
			continue
		}
		hosts[name] = before
		outcome.Warn(field.NewPath("spec", "services").Key(name).Child("ingress", "host"), fmt.Sprintf("%s contains dots and is a complete host name, but the running graph keeps host %s; "+
			`set ingress.hostSuffix to "" to change to %s, or to %q to keep it`,
			service.Ingress.Host, before, exposed.Host, strings.TrimPrefix(before, exposed.Host+".")))
	}
	return hosts, outcome
}

// exposedHosts are the hosts of the observed objects that expose a frontend.
func exposedHosts(o *observed.State, service string) []string {
	spec := func(key resource.Name) *structpb.Struct { return tree.At(o.Object(key), "spec") }
	var hosts []string
	for _, rule := range spec(names.KeyIngress(service)).GetFields()["rules"].GetListValue().GetValues() {
		hosts = append(hosts, tree.Text(rule.GetStructValue(), "host"))
	}
	for _, host := range slices.Concat(
		spec(names.KeyVirtualService(service)).GetFields()["hosts"].GetListValue().GetValues(),
		spec(names.KeyHTTPRoute(service)).GetFields()["hostnames"].GetListValue().GetValues(),
	) {
		hosts = append(hosts, host.GetStringValue())
	}
	return hosts
}
