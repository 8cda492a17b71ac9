package scheduling

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// native is what gangs of Kubernetes itself cannot have: queues, pods that name a PodGroup of their user, and a priority that changes.
func native(f *subject.Facts, gang graphplan.Gang) subject.Outcome {
	var o subject.Outcome
	annotations := field.NewPath("metadata", "annotations")
	for _, annotation := range []string{metadata.AnnotationKAIQueue, metadata.AnnotationVolcanoQueue} {
		if f.Graph.Annotations[annotation] != "" {
			o.Warnings = append(o.Warnings, message.About(annotations.Key(annotation), "has no effect, because the scheduler of Kubernetes, which has no queues, makes the gangs; remove the annotation"))
		}
	}
	decided := f.Memory.Gangs.Scheduler == graphplan.KubernetesScheduler
	for _, name := range pod.MultinodeServices(f.Graph) {
		service := f.Graph.Component(name)
		if !gang.Schedules(service.SchedulerName()) {
			continue
		}
		path := graph.ServicePath(name, "extraPodSpec")
		if service.Pod().SchedulingGroup != nil && (decided || !f.Live()) {
			o.Refuse(subject.Mistake, message.Forbidden(path.Child("schedulingGroup"), "may not be set, because each replica of the {{service}} gets a PodGroup of its own; remove it"))
		}
		// Without a class, Kubernetes has written its default.
		if was, lives := livePriority(f, name); lives && service.Pod().PriorityClassName != "" && was != service.Pod().PriorityClassName {
			o.Warnings = append(o.Warnings, message.About(path.Child("priorityClassName"), "the PodGroups of replicas that exist keep their priority, which Kubernetes does not let change; scale the {{service}} to 0 and up again"))
		}
	}
	return o
}

// livePriority is the class that the workload of a service was created with, as its PodGroup was. lives is false if there is none.
func livePriority(f *subject.Facts, name string) (class string, lives bool) {
	for i := range f.Observed.PodGroups {
		if group := &f.Observed.PodGroups[i]; group.Native && group.Service == names.Lower(name) {
			return group.PriorityClassName, true
		}
	}
	return "", false
}
