package scheduling

import (
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// OnGrove decides which scheduler places the pods of a PodCliqueSet, and their queue. The scheduler is empty if it is neither KAI nor
// Volcano, nor the backend for Kueue, whose queue Kueue decides.
func OnGrove(f *subject.Facts) (string, Queue, subject.Outcome) {
	if f.KueueQueue() != "" {
		return graphplan.KueueScheduler, Queue{}, onGroveWithKueue(f)
	}
	switch schedulerOnGrove(f) {
	case graphplan.VolcanoScheduler:
		queue, o := volcanoOnGrove(f)
		return graphplan.VolcanoScheduler, queue, o
	case graphplan.KAIScheduler:
		queue := kaiQueue(f, f.Memory.KAIQueues)
		queue.placing = !f.Memory.OnGrove
		queue, o := decide(f, queue, f.Cluster.KAI)
		return graphplan.KAIScheduler, queue, o
	default:
		return "", Queue{}, withoutQueue(f)
	}
}

// withoutQueue refuses a new graph whose services name KAI where nothing gives their pods a queue. With its backend for KAI, Grove refuses such
// a PodCliqueSet, or does not let it go once it is deleted.
// https://github.com/ai-dynamo/grove/blob/main/operator/internal/scheduler/kai/backend.go
func withoutQueue(f *subject.Facts) subject.Outcome {
	var o subject.Outcome
	if f.Live() || f.Graph.Spec.Labels[metadata.LabelKAIQueue] != "" || f.Graph.Spec.Annotations[metadata.LabelKAIQueue] != "" {
		return o
	}
	for _, service := range f.Graph.ComponentsByName() {
		if service.SchedulerName() != graphplan.KAIScheduler || service.TemplateLabels()[metadata.LabelKAIQueue] != "" {
			continue
		}
		o.Refuse(subject.NotSupported, message.Invalid(
			graph.PodPath(graph.ComponentPath(service.Name), "schedulerName"), graphplan.KAIScheduler, "its pods would have no queue, because KAI (API group scheduling.run.ai) is not installed, or kai.mode %s is Disabled; remove the scheduler, or set label %s in {{podTemplate.metadata.labels}}", f.Sources.In("kai.mode"), metadata.LabelKAIQueue))
	}
	return o
}

// schedulerOnGrove is the one that all services name or get. Where all services name a scheduler, that of the platform has no effect. A new
// graph with several is refused, and what else is wrong with it is found as if its services named none.
func schedulerOnGrove(f *subject.Facts) string {
	scheduler := f.GroveScheduler()
	switch {
	case pod.NamesVolcano(f.Graph) && (f.Live() || !pod.LeavesScheduler(f.Graph)):
		return graphplan.VolcanoScheduler
	case scheduler == graphplan.VolcanoScheduler && !pod.LeavesScheduler(f.Graph):
		return ""
	default:
		return scheduler
	}
}

// volcanoOnGrove decides the queue of pods that Volcano schedules. Grove's backend for Volcano refuses a PodCliqueSet whose queue does not
// exist or is not open (v0.1.0-alpha.10). A queue that the annotations of the spec name for Grove itself takes precedence: cliques have
// these annotations too, and Grove refuses cliques whose queue differs from that of their set.
func volcanoOnGrove(f *subject.Facts) (Queue, subject.Outcome) {
	if f.Graph.Spec.Annotations[metadata.AnnotationGroveVolcanoQueue] != "" {
		return Queue{}, unservedOnGrove(f)
	}
	var live []string
	if f.Memory.VolcanoQueue != "" {
		live = []string{f.Memory.VolcanoQueue}
	}
	queue := volcanoQueue(f, live)
	queue.annotation, queue.implied, queue.placing = metadata.AnnotationVolcanoQueueOnGrove, metadata.GroveDefaultVolcanoQueue, !f.Memory.OnGrove
	// Without the API, a scheduler that users name is left to them.
	if !f.Cluster.Volcano && !pod.LeavesScheduler(f.Graph) {
		return Queue{Name: strings.TrimSpace(f.Graph.Annotations[queue.annotation])}, subject.Outcome{}
	}
	queue, o := decide(f, queue, f.Cluster.Volcano)
	o.Add(unservedOnGrove(f))
	return queue, o
}

// unservedOnGrove refuses a new graph that gets Volcano from the platform where it is not installed, because no pod would ever be scheduled.
func unservedOnGrove(f *subject.Facts) subject.Outcome {
	if f.Cluster.Volcano || f.Live() || f.GroveScheduler() != graphplan.VolcanoScheduler || !pod.LeavesScheduler(f.Graph) {
		return subject.Outcome{}
	}
	const setting = "grove.scheduler"
	return subject.Refused(subject.NotSupported, message.Invalid(f.Sources.Path(setting), string(f.Input.Grove.Scheduler),
		"Volcano (API group scheduling.volcano.sh) is not installed; let the platform install it, or set grove.scheduler to Auto %s", f.Sources.In(setting)))
}
