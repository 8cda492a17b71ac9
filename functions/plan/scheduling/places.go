package scheduling

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// A holder is an object in a graph that has labels and annotations.
type holder int

const (
	// ofGraph are those of the graph itself, which owns all workloads.
	ofGraph holder = iota
	// ofSpec, ofComponent and ofPods reach workloads and their pods. Each takes precedence over the one before it.
	ofSpec
	ofComponent
	ofPods
)

// A place in which users write a queue.
type place struct {
	holder holder

	// labels says that it is a label. Otherwise it is an annotation.
	labels bool
	key    string
}

// written in the graph, for a component unless it is in the graph itself, or in its spec.
func (p place) written(f *subject.Facts, c *graph.Component) (value string, given bool) {
	var labels, annotations map[string]string
	switch p.holder {
	case ofGraph:
		labels, annotations = f.Graph.Labels, f.Graph.Annotations
	case ofSpec:
		labels, annotations = f.Graph.Spec.Labels, f.Graph.Spec.Annotations
	case ofComponent:
		labels, annotations = c.Labels, c.Annotations
	case ofPods:
		labels, annotations = c.PodMetadata().Labels, c.PodMetadata().Annotations
	}
	if p.labels {
		annotations = labels
	}
	value, given = annotations[p.key]
	return strings.TrimSpace(value), given
}

// path of the place.
func (p place) path(c *graph.Component) *field.Path {
	part := "annotations"
	if p.labels {
		part = "labels"
	}
	var path *field.Path
	switch p.holder {
	case ofGraph:
		path = field.NewPath("metadata", part)
	case ofSpec:
		path = field.NewPath("spec", part)
	case ofComponent:
		path = graph.ComponentPath(c.Name, part)
	case ofPods:
		path = graph.PodMetadataPath(graph.ComponentPath(c.Name), part)
	}
	return path.Key(p.key)
}

// written is the value of an annotation or a label, and where it is written.
type written struct {
	path  *field.Path
	value string
	given bool
}

// first place of some in which something is written.
func first(f *subject.Facts, c *graph.Component, places []place) written {
	for _, p := range places {
		if value, given := p.written(f, c); given {
			return written{path: p.path(c), value: value, given: true}
		}
	}
	return written{}
}

// places in which anybody may write a queue.
func places() []place {
	var all []place
	for _, key := range metadata.GraphQueueKeys() {
		all = append(all, place{ofGraph, true, key})
	}
	for _, key := range metadata.QueueAnnotations() {
		all = append(all, place{ofGraph, false, key})
	}
	for _, key := range metadata.QueueKeys() {
		all = append(all, toPods(true, key)...)
	}
	for _, key := range slices.Compact(slices.Sorted(slices.Values(append(metadata.QueueKeys(), metadata.QueueAnnotations()...)))) {
		all = append(all, toPods(false, key)...)
	}
	return all
}

// toPods are the places of a key that reaches pods, the one that takes precedence first.
func toPods(labels bool, key string) []place {
	return []place{{ofPods, labels, key}, {ofComponent, labels, key}, {ofSpec, labels, key}}
}

// A reader is what looks for the queue of pods.
type reader struct {
	// name of it, as messages say it.
	name string

	// places in which it looks, in this order. Users best write the queue in best.
	places []place
	best   string

	// setting of the policy with the queue of pods for which none is written, and queue if there is no such setting.
	setting, queue string
}

// Readers of queues. The labels of the last owner of a pod, which KAI may be allowed to read, come first, so its pods are in the same queue whether it
// is or not.
// https://github.com/kai-scheduler/KAI-Scheduler/blob/v0.17.0/pkg/podgrouper/podgrouper/plugins/defaultgrouper/default_grouper.go
// https://github.com/volcano-sh/volcano/blob/v1.15.1/pkg/controllers/podgroup/pg_controller_handler.go
func byKAI() reader {
	return reader{
		name: "KAI", places: []place{{ofGraph, true, metadata.LabelKAIQueue}, {ofGraph, false, metadata.AnnotationKAIQueue}},
		best: "annotation " + metadata.AnnotationKAIQueue + " of the graph", setting: "kai.queue",
	}
}

// byKAIAlone is KAI for pods whose user names it where the platform does not.
func byKAIAlone() reader {
	return reader{
		name: "KAI", places: slices.Concat([]place{{ofGraph, true, metadata.LabelKAIQueue}}, toPods(true, metadata.LabelKAIQueue)),
		best: "label " + metadata.LabelKAIQueue + " of the pods", queue: "default-queue",
	}
}

// byKAIOfGrove is Grove's backend for KAI for such pods. It reads the PodCliqueSet before the cliques.
func byKAIOfGrove() reader {
	r := byKAIAlone()
	r.places = []place{{ofSpec, true, metadata.LabelKAIQueue}, {ofSpec, false, metadata.LabelKAIQueue}}
	r.places = append(r.places, toPods(true, metadata.LabelKAIQueue)...)
	r.places = append(r.places, toPods(false, metadata.LabelKAIQueue)...)
	return r
}

func byVolcanoOnGrove() reader {
	return reader{
		name: "Volcano", places: []place{{ofSpec, false, metadata.AnnotationGroveVolcanoQueue}, {ofGraph, false, metadata.AnnotationVolcanoQueueOnGrove}},
		best: "annotation " + metadata.AnnotationVolcanoQueueOnGrove + " of the graph", setting: "volcano.queue", queue: metadata.GroveDefaultVolcanoQueue,
	}
}

// byVolcano is Volcano for gangs.
func byVolcano() reader {
	return reader{
		name: "Volcano", places: []place{{ofGraph, false, metadata.AnnotationVolcanoQueue}},
		best: "annotation " + metadata.AnnotationVolcanoQueue + " of the graph", setting: "volcano.queue",
	}
}

// byVolcanoAlone is Volcano for pods whose user names it, and which are in no gang.
func byVolcanoAlone() reader {
	return reader{
		name: "Volcano", places: toPods(false, metadata.AnnotationVolcanoQueue),
		best: "annotation " + metadata.AnnotationVolcanoQueue + " of the pods", queue: "default",
	}
}

func byKueue() reader {
	return reader{
		name: "Kueue", places: []place{{ofGraph, true, metadata.LabelKueueQueue}},
		best: "label " + metadata.LabelKueueQueue + " of the graph", setting: "kueue.queue",
	}
}

// byKueueAlone is Kueue for pods that have its label where their graph has none.
func byKueueAlone() reader {
	return reader{name: "Kueue", places: toPods(true, metadata.LabelKueueQueue)}
}

// readerOf the queue of the pods of a component, and the queue that is decided for them. It is empty if none is.
func readerOf(p *graphplan.Plan, c *graph.Component) (r reader, queue string) {
	scheduler, gang := schedulerOf(p, c), p.LWS.Gang
	planned := isPlanned(p, c)
	switch {
	case p.KueueQueue != "":
		return byKueue(), p.KueueQueue
	case scheduler == graphplan.KAIScheduler && planned && p.Grove != nil:
		return byKAI(), p.Grove.Queue
	case scheduler == graphplan.KAIScheduler && planned:
		return byKAI(), gang.Queue
	case scheduler == graphplan.KAIScheduler && p.Grove != nil:
		return byKAIOfGrove(), ""
	case scheduler == graphplan.KAIScheduler:
		return byKAIAlone(), ""
	case scheduler == graphplan.VolcanoScheduler && p.Grove != nil:
		return byVolcanoOnGrove(), p.Grove.Queue
	case scheduler == graphplan.VolcanoScheduler && planned:
		return byVolcano(), gang.Queue
	case scheduler == graphplan.VolcanoScheduler:
		return byVolcanoAlone(), ""
	default:
		return byKueueAlone(), ""
	}
}

// isPlanned reports whether the scheduler of the pods of a component is that of the plan, and has its queue.
func isPlanned(p *graphplan.Plan, c *graph.Component) bool {
	if p.Grove != nil {
		return p.Grove.SchedulerName != "" && cmp.Or(c.SchedulerName(), p.Grove.SchedulerName) == p.Grove.SchedulerName
	}
	return p.LWS.Gang.SchedulerName != "" && c.IsMultinode() && p.LWS.Gang.Places(c.Graph().Names(), c.Name, c.SchedulerName())
}

// schedulerOf the pods of a component.
func schedulerOf(p *graphplan.Plan, c *graph.Component) string {
	switch {
	case isPlanned(p, c) && p.Grove != nil:
		return p.Grove.SchedulerName
	case isPlanned(p, c):
		return p.LWS.Gang.SchedulerName
	default:
		return cmp.Or(c.SchedulerName(), graphplan.KubernetesScheduler)
	}
}

// QueueOf the pods of a component, and what names it. It is nil if they are in none.
func QueueOf(f *subject.Facts, p *graphplan.Plan, c *graph.Component) *graphplan.Queue {
	r, queue := readerOf(p, c)
	for _, place := range r.places {
		if name, given := place.written(f, c); given && (queue == "" || name == queue) {
			return &graphplan.Queue{Name: name, Path: place.path(c).String()}
		}
	}
	queue = cmp.Or(queue, r.queue)
	if queue == "" {
		return nil
	}
	return &graphplan.Queue{Name: queue, Setting: r.settingOf(f, queue)}
}

// settingOf the policy that names a queue, and where it is. It is empty if none does.
func (r reader) settingOf(f *subject.Facts, queue string) string {
	type setting struct{ written, fallback string }
	s := map[string]setting{
		"kai.queue":     {f.Input.KAI.Queue, f.Input.KAI.QueueOrDefault()},
		"volcano.queue": {f.Input.Volcano.Queue, metadata.GroveDefaultVolcanoQueue},
		"kueue.queue":   {written: f.Input.Kueue.Queue},
	}[r.setting]
	switch queue {
	case s.written:
		return r.setting + " " + f.Sources.In(r.setting)
	case s.fallback:
		return "the default of " + r.setting
	default:
		return ""
	}
}

// QueueWarnings are about places that name another queue than that of the pods that they reach.
func QueueWarnings(f *subject.Facts, p *graphplan.Plan) message.List {
	var warnings message.List
	components := f.Graph.ComponentsByName()
	for _, place := range places() {
		// A project names other things as well, and what becomes of the queue of Kueue is said elsewhere.
		if place.key == metadata.LabelKAIProject || place == byKueue().places[0] {
			continue
		}
		if place.holder >= ofComponent {
			for _, c := range components {
				if !place.counts(f, p, c) {
					warnings = append(warnings, place.unread(p, c))
				}
			}
			continue
		}
		// All components share it, so one that is in the queue is enough.
		if len(components) > 0 && !slices.ContainsFunc(components, func(c *graph.Component) bool { return place.counts(f, p, c) }) {
			warnings = append(warnings, place.unread(p, mostRead(p, components)))
		}
	}
	return warnings
}

// counts reports whether nothing is written in a place, or the queue of the pods of a component, or what is refused or waits for a queue that
// accepts pods.
func (p place) counts(f *subject.Facts, plan *graphplan.Plan, c *graph.Component) bool {
	name, _ := p.written(f, c)
	if name == "" {
		return true
	}
	queue := plan.Components[c.Name].Queue
	r, _ := readerOf(plan, c)
	refused := plan.KueueQueue != "" && p.labels && p.key == metadata.LabelKueueQueue
	waits := !p.labels && r.setting != "" && slices.Contains(r.places, p) && (queue == nil || queue.Path == "")
	return refused || waits || queue != nil && queue.Name == name
}

// mostRead of some components is one whose pods are in a queue, or the first.
func mostRead(p *graphplan.Plan, components []*graph.Component) *graph.Component {
	if i := slices.IndexFunc(components, func(c *graph.Component) bool { return p.Components[c.Name].Queue != nil }); i >= 0 {
		return components[i]
	}
	return components[0]
}

// unread is the warning that a place has no effect on the pods of a component.
func (p place) unread(plan *graphplan.Plan, c *graph.Component) *message.Message {
	path, queue := p.path(c), plan.Components[c.Name].Queue
	r, _ := readerOf(plan, c)
	switch {
	case queue == nil:
		return message.About(path, "names a queue, but %s schedules the pods, which has no queues; remove it, or set {{podTemplate.spec.schedulerName}}", schedulerOf(plan, c))
	case queue.Path != "":
		return message.About(path, "has no effect: the pods are in queue %s of %s, which %s names; name the queue there, or remove this field", queue.Name, r.name, field.NewPath(queue.Path))
	case queue.Setting != "":
		return message.About(path, "has no effect: the pods are in queue %s of %s, which %s names; name the queue in %s, or remove this field", queue.Name, r.name, queue.Setting, r.best)
	default:
		return message.About(path, "has no effect: the pods are in queue %s of %s; name the queue in %s, or remove this field", queue.Name, r.name, r.best)
	}
}
