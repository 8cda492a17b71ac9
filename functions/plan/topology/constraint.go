package topology

import (
	"cmp"

	"k8s.io/apimachinery/pkg/util/validation/field"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

// constraint is a domain of a graph or of one of its components, with its path.
type constraint struct {
	path   *field.Path
	domain string

	// component that has the constraint. An empty text stands for the graph.
	component string
}

// packDomains of a graph, which are required: that of the graph first, then those of components by name.
func packDomains(g *graph.Graph) []constraint { return allOf(g, packDomain) }

// preferredDomains of a graph, in the same order.
func preferredDomains(g *graph.Graph) []constraint { return allOf(g, preferredDomain) }

func allOf(g *graph.Graph, domainOf func(g *graph.Graph, component string) constraint) []constraint {
	var all []constraint
	for _, name := range append([]string{""}, g.ComponentNames()...) {
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

// packDomain of a component itself, or of the graph if no component is given. Without one, the domain is empty.
func packDomain(g *graph.Graph, component string) constraint {
	if component == "" {
		c := constraint{path: field.NewPath("spec", "topologyConstraint", "packDomain")}
		if tc := g.Spec.TopologyConstraint; tc != nil {
			c.domain = tc.PackDomain
		}
		return c
	}
	c := constraint{path: graph.ComponentPath(component, "topologyConstraint", "packDomain"), component: component}
	if tc := g.Component(component).TopologyConstraint; tc != nil {
		c.domain = tc.PackDomain
	}
	return c
}

// preferredDomain of a component itself, or of the graph if no component is given. Without one, the domain is empty.
func preferredDomain(g *graph.Graph, component string) constraint {
	path, annotations := field.NewPath("metadata"), g.Annotations
	if component != "" {
		path, annotations = graph.ComponentPath(component), g.Component(component).Annotations
	}
	return constraint{path.Child("annotations").Key(metadata.AnnotationPreferredDomain), annotations[metadata.AnnotationPreferredDomain], component}
}

// requiredOf a component is its own packDomain, otherwise that of the graph. Without a name it is that of the graph.
func requiredOf(g *graph.Graph, component string) constraint {
	if own := packDomain(g, component); own.domain != "" {
		return own
	}
	return packDomain(g, "")
}

// preferredOf a component is its own preferred domain, otherwise that of the graph. Without a name it is that of the graph.
func preferredOf(g *graph.Graph, component string) constraint {
	if own := preferredDomain(g, component); own.domain != "" {
		return own
	}
	return preferredDomain(g, "")
}

// useful reports whether a preference adds something to the required domain. A broader preference adds nothing, and the KAI scheduler does
// not place such pods at all, because it looks for the required level above the preferred one.
func useful(preferred, required string, levels *grovev1alpha1.Topology) bool {
	return preferred != "" && !levels.Broader(preferred, required)
}

// placement requested for a component on LeaderWorkerSets, where each replica is packed separately.
type placement struct{ required, preferred constraint }

// placements of the multinode components that have a constraint, their own or that of the graph.
func placements(g *graph.Graph) map[string]placement {
	all := map[string]placement{}
	for _, component := range g.ComponentsByName() {
		asked := placement{required: requiredOf(g, component.Name), preferred: preferredOf(g, component.Name)}
		if component.IsMultinode() && cmp.Or(asked.required.domain, asked.preferred.domain) != "" {
			all[component.Name] = asked
		}
	}
	return all
}
