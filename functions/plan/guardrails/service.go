package guardrails

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
)

// service checks one service.
type service struct {
	*checker

	name string
	path *field.Path
	spec *graph.Component
}

func (c *checker) serviceOf(name string) *service {
	return &service{checker: c, name: name, path: graph.ComponentPath(name), spec: c.facts.Graph.Component(name)}
}
