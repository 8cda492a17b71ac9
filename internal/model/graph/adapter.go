package graph

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

// An Adapter scales a component of a graph, or several that are scaled together. Its number is that of units.
type Adapter struct {
	Name string
	Key  names.Resource

	// Field of the graph that asks for the adapter.
	Field *field.Path

	// Unit is what a step of the adapter adds: one replica, or some of each of the components that are scaled together.
	Unit []Share

	graph *Graph
}

// A Share of a unit is how many replicas of a component it has.
type Share struct {
	Component string
	Replicas  int32
}

// Of is the number of replicas in units. It does not overflow: an adapter may ask for any number, and one that is too large is refused.
func (s *Share) Of(units int32) int32 {
	return int32(min(int64(s.Replicas)*int64(units), math.MaxInt32)) //nolint:gosec // It is bounded.
}

// Adapters of the graph: those of single components by name, then the one of components that are scaled together.
func (g *Graph) Adapters() []Adapter {
	var all []Adapter
	for _, c := range g.ComponentsByName() {
		if c.HasScalingAdapter() {
			all = append(all, Adapter{
				Name: g.Names().ScalingAdapter(c.Name), Key: names.KeyScalingAdapter(c.Name),
				Field: ComponentPath(c.Name, "scalingAdapter"), Unit: []Share{{c.Name, 1}}, graph: g,
			})
		}
	}
	unit, problems := ParseUnit(g.Annotations[metadata.AnnotationScaleTogether])
	unknown := func(s Share) bool { return g.Components[s.Component] == nil }
	if len(problems) == 0 && !slices.ContainsFunc(unit, unknown) {
		all = append(all, Adapter{Name: g.Name, Key: names.KeyScaleTogether, Field: ScaleTogetherPath(), Unit: unit, graph: g})
	}
	return all
}

// ScaleTogetherPath is the annotation with the unit of components that are scaled together.
func ScaleTogetherPath() *field.Path {
	return field.NewPath("metadata", "annotations").Key(metadata.AnnotationScaleTogether)
}

// maxShares of a unit. Graphs have fewer components.
const maxShares = 100

// ParseUnit reads a unit such as Prefill=1,Decode=2. Problems are why the text is not one.
func ParseUnit(text string) (unit []Share, problems []string) {
	if strings.Count(text, ",") >= maxShares {
		return nil, []string{fmt.Sprintf("has more than %d parts", maxShares)}
	}
	for part := range strings.SplitSeq(text, ",") {
		name, number, _ := strings.Cut(part, "=")
		replicas, err := strconv.ParseUint(strings.TrimSpace(number), 10, 31)
		share := Share{Component: strings.TrimSpace(name), Replicas: int32(replicas)}
		switch {
		case share.Component == "":
			problems = append(problems, fmt.Sprintf("%q has no name", part))
		case err != nil || replicas == 0:
			problems = append(problems, fmt.Sprintf("%q has no number of at least 1", part))
		case slices.ContainsFunc(unit, func(other Share) bool { return other.Component == share.Component }):
			problems = append(problems, fmt.Sprintf("%q repeats a name", part))
		default:
			unit = append(unit, share)
		}
	}
	return unit, problems
}

// Adapter that scales the component. ok is false if there is none.
func (c *Component) Adapter() (a Adapter, ok bool) {
	for _, a := range c.graph.Adapters() {
		if slices.ContainsFunc(a.Unit, func(s Share) bool { return s.Component == c.Name }) {
			return a, true
		}
	}
	return Adapter{}, false
}

// Graph that has the adapter.
func (a *Adapter) Graph() *Graph { return a.graph }

// Component to which the adapter belongs. It is empty if its components are scaled together.
func (a *Adapter) Component() string {
	if a.Key == names.KeyScaleTogether {
		return ""
	}
	return a.Unit[0].Component
}

// String is the component, or the unit as ParseUnit reads it.
func (a *Adapter) String() string {
	if component := a.Component(); component != "" {
		return component
	}
	parts := make([]string, 0, len(a.Unit))
	for _, share := range a.Unit {
		parts = append(parts, fmt.Sprintf("%s=%d", share.Component, share.Replicas))
	}
	return strings.Join(parts, ",")
}

// UnitIn a text that String has returned.
func UnitIn(text string) []Share {
	if unit, problems := ParseUnit(text); len(problems) == 0 {
		return unit
	}
	return []Share{{text, 1}}
}

// Units are the fewest in which each component has at least a number of replicas.
func (a *Adapter) Units(replicas func(c *Component) int32) int32 {
	units := int32(0)
	for _, share := range a.Unit {
		least := (int64(replicas(a.graph.Component(share.Component))) + int64(share.Replicas) - 1) / int64(share.Replicas)
		units = max(units, int32(least)) //nolint:gosec // It is at most the number of replicas.
	}
	return units
}
