package releases

import (
	"slices"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
)

// checkRoles refuses pod templates of roles for releases that do not know them, and a planner that does not find them.
// https://github.com/ai-dynamo/dynamo/blob/main/deploy/operator/internal/webhook/validation/planner_runtime.go
func checkRoles(f *subject.Facts, component *graph.Component, version runtime.Version) subject.Outcome {
	var outcome subject.Outcome
	planned := component.Type == v1beta1.ComponentPlanner && slices.ContainsFunc(f.Graph.ComponentsByName(), (*graph.Component).HasRoleTemplates)
	if !component.HasRoleTemplates() && !planned || version.Has(runtime.NodeAliases) {
		return outcome
	}
	path, what := graph.ComponentPath(component.Name, "roles"), "pod templates of roles need Dynamo %s or later, and the image has %s; use a newer image, set runtimeVersionOverride if the tag of the image does not say its release, or write one {{podTemplate.spec}} for the pods of all roles"
	if planned {
		path, what = graph.ComponentPath(component.Name), "a planner of a graph with pod templates of roles needs Dynamo %s or later, and its image has %s; use a newer image, or set runtimeVersionOverride if the tag of the image does not say its release"
	}
	outcome.Refuse(subject.Mistake, message.List{message.Forbidden(path, what, runtime.NodeAliases.Since(), version)}.Mark(rule.Components)...)
	return outcome
}
