package services

import (
	"slices"
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/exposure"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// LiveHosts are the hosts, by service, of live frontends whose host has dots followed by the suffix, which earlier versions added. Clients
// use these hosts.
func LiveHosts(f *subject.Facts, defaults graphplan.IngressDefaults) (map[string]string, subject.Outcome) {
	var outcome subject.Outcome
	hosts := map[string]string{}
	for _, service := range f.Graph.ComponentsByName() {
		exposed := exposure.Of(service, defaults)
		if exposed.Kind == exposure.None || service.Ingress == nil {
			continue
		}
		before := exposure.SuffixedHostOf(service.Ingress, defaults.HostSuffix)
		if before == exposed.Host || !slices.Contains(f.Observed.Hosts(service.Name), before) {
			continue
		}
		hosts[service.Name] = before
		outcome.Warn(graph.ComponentPath(service.Name, "ingress", "host"), `%s contains dots and is a complete host name, but the running graph keeps host %s; set ingress.hostSuffix to "" to change to %s, or to %q to keep it`, service.Ingress.Host, before, exposed.Host, strings.TrimPrefix(before, exposed.Host+"."))
	}
	return hosts, outcome
}
