package topology

import (
	"cmp"

	"k8s.io/apimachinery/pkg/util/validation/field"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

// constraint is a domain of a graph or of one of its services, with its path.
type constraint struct {
	path   *field.Path
	domain string

	// service that has the constraint. Empty: the graph.
	service string
}

// packDomains of a graph, which are required: that of the graph first, then those of services by name.
func packDomains(g *graph.Graph) []constraint {
	var all []constraint
	for _, name := range append([]string{""}, g.ServiceNames()...) {
		if domain := packDomain(g, name); domain != "" {
			all = append(all, constraint{packDomainPath(name), domain, name})
		}
	}
	return all
}

// preferredDomains of a graph, in the same order.
func preferredDomains(g *graph.Graph) []constraint {
	var all []constraint
	for _, name := range append([]string{""}, g.ServiceNames()...) {
		if domain := preferredDomain(g, name); domain != "" {
			all = append(all, constraint{preferredPath(name), domain, name})
		}
	}
	return all
}

// constraints of a graph of both kinds.
func constraints(g *graph.Graph) []constraint {
	return append(packDomains(g), preferredDomains(g)...)
}

// packDomain of a service itself, or of the graph if no service is given.
func packDomain(g *graph.Graph, service string) string {
	if service == "" {
		if tc := g.Spec.TopologyConstraint; tc != nil {
			return tc.PackDomain
		}
		return ""
	}
	if tc := g.Component(service).TopologyConstraint; tc != nil {
		return tc.PackDomain
	}
	return ""
}

func packDomainPath(service string) *field.Path {
	if service == "" {
		return field.NewPath("spec", "topologyConstraint", "packDomain")
	}
	return graph.ComponentPath(service, "topologyConstraint", "packDomain")
}

// preferredDomain of a service itself, or of the graph if no service is given.
func preferredDomain(g *graph.Graph, service string) string {
	if service == "" {
		return g.Annotations[metadata.AnnotationPreferredDomain]
	}
	return g.Component(service).Annotations[metadata.AnnotationPreferredDomain]
}

func preferredPath(service string) *field.Path {
	path := field.NewPath("metadata")
	if service != "" {
		path = graph.ComponentPath(service)
	}
	return path.Child("annotations").Key(metadata.AnnotationPreferredDomain)
}

// requiredOf a service is its own packDomain, otherwise that of the graph. Without a name it is that of the graph.
func requiredOf(g *graph.Graph, service string) constraint {
	if service != "" && packDomain(g, service) != "" {
		return constraint{packDomainPath(service), packDomain(g, service), service}
	}
	return constraint{packDomainPath(""), packDomain(g, ""), ""}
}

// preferredOf a service is its own preferred domain, otherwise that of the graph. Without a name it is that of the graph.
func preferredOf(g *graph.Graph, service string) constraint {
	if service != "" && preferredDomain(g, service) != "" {
		return constraint{preferredPath(service), preferredDomain(g, service), service}
	}
	return constraint{preferredPath(""), preferredDomain(g, ""), ""}
}

// useful reports whether a preference adds something to the required domain. A broader preference adds nothing, and the KAI scheduler does
// not place such pods at all, because it looks for the required level above the preferred one.
func useful(preferred, required string, levels *grovev1alpha1.Topology) bool {
	return preferred != "" && !levels.Broader(preferred, required)
}

// placement requested for a service on LeaderWorkerSets, where each replica is packed separately.
type placement struct{ required, preferred constraint }

// placements of the multinode services that have a constraint, their own or that of the graph.
func placements(g *graph.Graph) map[string]placement {
	all := map[string]placement{}
	for _, service := range g.ComponentsByName() {
		asked := placement{required: requiredOf(g, service.Name), preferred: preferredOf(g, service.Name)}
		if service.IsMultinode() && cmp.Or(asked.required.domain, asked.preferred.domain) != "" {
			all[service.Name] = asked
		}
	}
	return all
}
