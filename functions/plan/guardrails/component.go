package guardrails

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
)

// component checks one component.
type component struct {
	*checker

	name string
	path *field.Path
	spec *graph.Component
}

func (c *checker) componentOf(name string) *component {
	return &component{checker: c, name: name, path: graph.ComponentPath(name), spec: c.facts.Graph.Component(name)}
}
