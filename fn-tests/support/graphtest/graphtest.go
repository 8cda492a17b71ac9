// Package graphtest makes graphs for tests.
package graphtest

import (
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
)

// Of gives a graph a spec that is written with services, and returns the graph.
func Of(g *graph.Graph, spec v1alpha1.DynamoGraphDeploymentSpec) *graph.Graph {
	g.TakeServices(&spec)
	return g
}

// Component is the only one of a graph.
func Component(service v1alpha1.Service) *graph.Component {
	return (&graph.Graph{}).Add("S", service)
}
