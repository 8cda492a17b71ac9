package scheduling

import (
	"cmp"
	"slices"
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
		return graphplan.KueueScheduler, Queue{}, subject.Outcome{}
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

// withoutQueue refuses a new graph whose components name KAI where nothing gives their pods a queue. With its backend for KAI, Grove refuses such
// a PodCliqueSet, or does not let it go once it is deleted.
// https://github.com/ai-dynamo/grove/blob/main/operator/internal/scheduler/kai/backend.go
func withoutQueue(f *subject.Facts) subject.Outcome {
	inSpec := cmp.Or(f.Graph.Spec.Labels[metadata.LabelKAIQueue], f.Graph.Spec.Annotations[metadata.LabelKAIQueue])
	if f.Live() || !slices.ContainsFunc(f.Graph.ComponentsByName(), func(c *graph.Component) bool { return c.SchedulerName() == graphplan.KAIScheduler }) {
		return subject.Outcome{}
	}
	o := apartFromSet(f, graphplan.KAIScheduler, inSpec)
	if inSpec != "" {
		return o
	}
	for _, component := range f.Graph.ComponentsByName() {
		if component.SchedulerName() != graphplan.KAIScheduler || component.TemplateLabels()[metadata.LabelKAIQueue] != "" {
			continue
		}
		o.Refuse(subject.NotSupported, message.Invalid(
			graph.PodPath(graph.ComponentPath(component.Name), "schedulerName"), graphplan.KAIScheduler, "its pods would have no queue, because KAI (API group scheduling.run.ai) is not installed, or kai.mode %s is Disabled; remove the scheduler, or set label %s in {{podTemplate.metadata.labels}}", f.Sources.In("kai.mode"), metadata.LabelKAIQueue))
	}
	return o
}

// schedulerOnGrove is the one that all components name or get. Where all components name a scheduler, that of the platform has no effect. A new
// graph with several is refused, and what else is wrong with it is found as if its components named none.
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
	if inSpec := f.Graph.Spec.Annotations[metadata.AnnotationGroveVolcanoQueue]; inSpec != "" {
		o := unservedOnGrove(f)
		o.Add(apartFromSet(f, graphplan.VolcanoScheduler, inSpec))
		return Queue{}, o
	}
	var live []string
	if f.Memory.VolcanoQueue != "" {
		live = []string{f.Memory.VolcanoQueue}
	}
	queue := volcanoQueue(f, live)
	queue.at, queue.implied, queue.placing = place{key: metadata.AnnotationVolcanoQueueOnGrove}, metadata.GroveDefaultVolcanoQueue, !f.Memory.OnGrove
	// Without the API, a scheduler that users name is left to them.
	if !f.Cluster.Volcano && !pod.LeavesScheduler(f.Graph) {
		return Queue{Name: strings.TrimSpace(f.Graph.Annotations[queue.at.key])}, subject.Outcome{}
	}
	queue, o := decide(f, queue, f.Cluster.Volcano)
	o.Add(unservedOnGrove(f))
	o.Add(apartFromSet(f, graphplan.VolcanoScheduler, queue.Name))
	return queue, o
}

// apartFromSet refuses a new graph with cliques in another queue than their PodCliqueSet, as Grove does. An empty queue is that of the first clique
// that names one.
func apartFromSet(f *subject.Facts, scheduler, queue string) subject.Outcome {
	var o subject.Outcome
	key, places := metadata.LabelKAIQueue, slices.Concat(toPods(true, metadata.LabelKAIQueue), toPods(false, metadata.LabelKAIQueue))
	if scheduler == graphplan.VolcanoScheduler {
		key, places = metadata.AnnotationGroveVolcanoQueue, toPods(false, metadata.AnnotationGroveVolcanoQueue)
	}
	for _, c := range f.Graph.ComponentsByName() {
		named := first(f, c, places)
		queue = cmp.Or(queue, named.value)
		if named.given && named.value != queue && cmp.Or(c.SchedulerName(), scheduler) == scheduler && !f.Live() {
			o.Refuse(subject.Mistake, message.Invalid(named.path, named.value, "Grove places the pods of a graph in one queue, which is %s; remove this field, or set %s to %s in all places", queue, key, named.value))
		}
	}
	return o
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
