package pod

import (
	"slices"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// NamesVolcano reports whether a component names Volcano as its scheduler. On Grove, all components of a graph have the same scheduler.
func NamesVolcano(g *graph.Graph) bool {
	return slices.ContainsFunc(g.ComponentsByName(), func(c *graph.Component) bool { return c.SchedulerName() == graphplan.VolcanoScheduler })
}

// LeavesScheduler reports whether a component names no scheduler.
func LeavesScheduler(g *graph.Graph) bool {
	return slices.ContainsFunc(g.ComponentsByName(), func(c *graph.Component) bool { return c.SchedulerName() == "" })
}
