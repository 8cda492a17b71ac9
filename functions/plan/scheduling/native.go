package scheduling

import (
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// native is what gangs of Kubernetes itself cannot have: pods that name a PodGroup of their user.
func native(f *subject.Facts, gang graphplan.Gang) subject.Outcome {
	var o subject.Outcome
	decided := f.Memory.Gangs.Scheduler == graphplan.KubernetesScheduler
	for _, name := range pod.MultinodeComponents(f.Graph) {
		component := f.Graph.Component(name)
		if !gang.Schedules(component.SchedulerName()) {
			continue
		}
		path := graph.PodPath(graph.ComponentPath(name))
		if component.Pod().SchedulingGroup != nil && (decided || !f.Live()) {
			o.Refuse(subject.Mistake, message.Forbidden(path.Child("schedulingGroup"), "may not be set, because each replica of the {{component}} gets a PodGroup of its own; remove it"))
		}
	}
	return o
}
