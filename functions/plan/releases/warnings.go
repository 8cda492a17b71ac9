package releases

import (
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// Warnings name the components whose releases do not work together, or not with the form of the graph.
func Warnings(g *graph.Graph, components map[string]graphplan.Component) message.List {
	var warnings message.List
	for _, name := range g.ComponentNames() {
		path := graph.ComponentPath(name)
		componentType, version := g.Component(name).Type, components[name].RuntimeVersion
		if componentType == v1beta1.ComponentPlanner && g.Form == graph.Services && version.Has(runtime.PlannerComponents) {
			warnings = append(warnings, message.About(path, "planners since Dynamo %s read spec.components, so this planner does not find its graph, which has {{spec.components}}; convert the graph to nvidia.com/v1beta1 with the command convert, or set runtimeVersionOverride if the planner is older", runtime.PlannerComponents.Since()))
		}
		for _, need := range runtime.Needs() {
			if need.ComponentType != componentType || version.Compare(need.Since) < 0 {
				continue
			}
			if older := workersWithout(g, components, need.Rule); len(older) > 0 {
				warnings = append(warnings, message.About(path, "%s since Dynamo %s %s, and workers %s since %s; use newer images for %s", need.Component, need.Since, need.Purpose, need.Workers, need.Rule.Since(), strings.Join(older, ", ")))
			}
		}
	}
	return warnings
}

// workersWithout are the workers whose releases do not have a rule.
func workersWithout(g *graph.Graph, components map[string]graphplan.Component, rule runtime.Rule) []string {
	var without []string
	for _, name := range g.ComponentNames() {
		if g.Component(name).IsWorker() && !components[name].RuntimeVersion.Has(rule) {
			without = append(without, name)
		}
	}
	return without
}
