// Package pods inspects the built pods of a graph for what only they show.
package pods

import (
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
)

// Of builds the pods of a graph as if they were new. All decisions of step plan that depend on pods read these pods. The mark of a restart and the
// generation of workers are decided later, so these pods have neither.
func Of(f *subject.Facts, p *graphplan.Plan) pod.Pods {
	builder := pod.Builder{Graph: f.Buildable, Plan: p}
	return builder.All()
}

// processesOf the pods of a component, as they would be if they were new.
func processesOf(p *graphplan.Plan, built pod.Pods, s *graph.Component) []pod.Process {
	var all []pod.Process
	for _, seen := range built[s.Name] {
		all = append(all, pod.ProcessesOf(s, p.Components[s.Name].Framework, &seen.Template)...)
	}
	return all
}
