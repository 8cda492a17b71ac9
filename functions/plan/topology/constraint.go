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

	// service that has the constraint. Empty means the graph.
	service string
}

// packDomains of a graph, which are required: that of the graph first, then those of services by name.
func packDomains(g *graph.Graph) []constraint { return allOf(g, packDomain) }

// preferredDomains of a graph, in the same order.
func preferredDomains(g *graph.Graph) []constraint { return allOf(g, preferredDomain) }

func allOf(g *graph.Graph, domainOf func(g *graph.Graph, service string) constraint) []constraint {
	var all []constraint
	for _, name := range append([]string{""}, g.ServiceNames()...) {
		if c := domainOf(g, name); c.domain != "" {
			all = append(all, c)
		}
	}
	return all
}

// constraints of a graph of both kinds.
func constraints(g *graph.Graph) []constraint {
	return append(packDomains(g), preferredDomains(g)...)
}

// packDomain of a service itself, or of the graph if no service is given. Without one, the domain is empty.
func packDomain(g *graph.Graph, service string) constraint {
	if service == "" {
		c := constraint{path: field.NewPath("spec", "topologyConstraint", "packDomain")}
		if tc := g.Spec.TopologyConstraint; tc != nil {
			c.domain = tc.PackDomain
		}
		return c
	}
	c := constraint{path: graph.ComponentPath(service, "topologyConstraint", "packDomain"), service: service}
	if tc := g.Component(service).TopologyConstraint; tc != nil {
		c.domain = tc.PackDomain
	}
	return c
}

// preferredDomain of a service itself, or of the graph if no service is given. Without one, the domain is empty.
func preferredDomain(g *graph.Graph, service string) constraint {
	path, annotations := field.NewPath("metadata"), g.Annotations
	if service != "" {
		path, annotations = graph.ComponentPath(service), g.Component(service).Annotations
	}
	return constraint{path.Child("annotations").Key(metadata.AnnotationPreferredDomain), annotations[metadata.AnnotationPreferredDomain], service}
}

// requiredOf a service is its own packDomain, otherwise that of the graph. Without a name it is that of the graph.
func requiredOf(g *graph.Graph, service string) constraint {
	if own := packDomain(g, service); own.domain != "" {
		return own
	}
	return packDomain(g, "")
}

// preferredOf a service is its own preferred domain, otherwise that of the graph. Without a name it is that of the graph.
func preferredOf(g *graph.Graph, service string) constraint {
	if own := preferredDomain(g, service); own.domain != "" {
		return own
	}
	return preferredDomain(g, "")
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
