// Package graphtest makes graphs for tests.
package graphtest

import (
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
)

// Of makes the services in the spec of a graph its components, and returns the graph.
func Of(g *graph.Graph) *graph.Graph {
	for name := range g.Spec.Services {
		g.Add(name, g.Spec.Services[name])
	}
	g.Spec.Services = nil
	return g
}

// Component is the only one of a graph.
func Component(service v1alpha1.Service) *graph.Component {
	return (&graph.Graph{}).Add("S", service)
}
