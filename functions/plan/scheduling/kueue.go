package scheduling

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/validate"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
)

const (
	// kueueGroup is the API group of Kueue, and kueueGate its feature gate without which it labels pods with the name of their LeaderWorkerSet
	// between 24 bytes of its own.
	// https://github.com/kubernetes-sigs/kueue/issues/10032
	kueueGroup  = "kueue.x-k8s.io"
	kueueGate   = "WorkloadIdentifierAnnotations"
	kueueOfName = 24

	// maxKueueName is the most that a label leaves for this name.
	maxKueueName = 63 - kueueOfName
)

// Kueue decides the queue in which Kueue holds the pods of a graph until there is quota for them. It is decided once: the webhook of Kueue
// writes the queue into pod templates, refuses to let go of a workload, and refuses another queue while pods are ready.
// https://github.com/kubernetes-sigs/kueue/blob/v0.19.2/pkg/controller/jobs/leaderworkerset/leaderworkerset_webhook.go
func Kueue(f *subject.Facts, o graphplan.Orchestrator) (Queue, subject.Outcome) {
	q := Queue{
		kind: "LocalQueue of Kueue", at: place{labels: true, key: metadata.LabelKueueQueue},
		setting: "kueue.queue", named: f.Graph.Labels[metadata.LabelKueueQueue], fallback: f.Input.Kueue.Queue,
		placing: !f.KeepsKueueQueue(), Name: f.KueueQueue(),
		object: require.Object{
			Name: requirementKueueQueue, APIVersion: kueueGroup + "/v1beta2", Kind: "LocalQueue", Namespace: f.Graph.Namespace,
		},
	}
	if errs := queueName(&q); len(errs) > 0 {
		return Queue{}, subject.Refused(subject.Mistake, errs...)
	}
	outcome := q.keepKueue(f)
	outcome.Add(keepPriority(f))
	if q.Name == "" {
		outcome.Add(mixed(f, o))
		return Queue{}, outcome
	}
	if f.KeepsKueueQueue() {
		q.live = []string{q.Name}
	}
	q.state = q.lookUp(f, &outcome.Requirements, f.ServesKueue(&outcome.Requirements))
	if !f.Live() {
		if q.state == queueIsUnserved {
			outcome.Add(q.refuseUnserved(f))
			return q, outcome
		}
		outcome.Add(q.refuse(f))
	}
	outcome.Add(underKueue(f, o))
	return q, outcome
}

// KueuePriority of a graph in its queue of Kueue, which is decided with the queue: the webhook of Kueue writes it into pod templates, too.
func KueuePriority(f *subject.Facts) string {
	switch {
	case f.KueueQueue() == "":
		return ""
	case f.KeepsKueueQueue():
		return f.Memory.KueuePriority
	default:
		return f.Graph.Labels[metadata.LabelKueuePriority]
	}
}

// keepPriority warns of a priority without effect.
func keepPriority(f *subject.Facts) subject.Outcome {
	var o subject.Outcome
	path := field.NewPath("metadata", "labels").Key(metadata.LabelKueuePriority)
	switch given, kept := f.Graph.Labels[metadata.LabelKueuePriority], KueuePriority(f); {
	case given == kept:
	case f.KueueQueue() == "":
		o.Warnings = append(o.Warnings, message.About(path, "has no effect, because the graph is in no queue of Kueue; remove it, or create the graph with label %s", metadata.LabelKueueQueue))
	case kept == "":
		o.Warnings = append(o.Warnings, message.About(path, "has no effect, because the graph was created without a priority in its queue, and a priority would replace its pods; remove it, or %s", subject.Recreate))
	default:
		o.Warnings = append(o.Warnings, message.About(path, "has no effect, because another priority than %s would replace the pods of the graph; put it back, or %s", kept, subject.Recreate))
	}
	return o
}

// queueName refuses names that no LocalQueue can have, or no label.
func queueName(q *Queue) message.List {
	errs := validate.ObjectName(q.path(), q.named)
	if problem := validate.LabelProblem(q.named); problem != "" {
		errs = append(errs, message.Invalid(q.path(), q.named, "%s", problem))
	}
	return errs
}

// keepKueue refuses another queue in a graph that has one, and names queues that have no effect.
func (q *Queue) keepKueue(f *subject.Facts) subject.Outcome {
	var o subject.Outcome
	switch {
	case !f.KeepsKueueQueue():
		if q.named != "" && f.Input.Kueue.Mode == v1alpha1.ModeDisabled {
			o.Refuse(subject.NotSupported, message.Invalid(q.path(), q.named, "the platform does not use Kueue: kueue.mode %s is Disabled; remove the label", f.Sources.In("kueue.mode")))
		}
	case q.named != "" && q.Name == "":
		o.Warnings = append(o.Warnings, message.About(q.path(), "has no effect, because the graph was created without a queue of Kueue, which would replace all pods; remove the label, or %s", subject.Recreate))
	case q.named != "" && q.named != q.Name:
		o.Refuse(subject.ImmutableChange, message.Invalid(q.path(), q.named, "a running graph stays in its %s, because Kueue refuses to move it; set it to %s, or delete the graph and create it again", q.kind, q.Name))
	case q.named == "" && q.fallback == "" && q.Name != "":
		o.Warnings = append(o.Warnings, message.About(q.path(), "is gone, but the graph stays in queue %s, because Kueue refuses to let go of it; put it back, or %s", q.Name, subject.Recreate))
	case q.named == "" && q.fallback != q.Name:
		current := "its queue, " + q.Name
		if q.Name == "" {
			current = "no queue of Kueue"
		}
		o.Warnings = append(o.Warnings, f.Keeps(subject.Keeps{
			Setting: q.setting, Value: q.fallback, Keeper: "this graph keeps", Current: current, Remedy: subject.Recreate,
		}))
	}
	return o
}

// refuseUnserved refuses a new graph with a queue where Kueue is not installed: nothing would hold its pods.
func (q *Queue) refuseUnserved(f *subject.Facts) subject.Outcome {
	const problem = "Kueue v0.15 or later (API version " + kueueGroup + "/v1beta2) is not installed; let the platform install it, or "
	if q.named != "" {
		return subject.Refused(subject.NotSupported, message.Invalid(q.path(), q.named, "%sremove the label", problem))
	}
	refused := message.Invalid(f.Sources.Path(q.setting), q.Name, "%sremove the setting %s", problem, f.Sources.In(q.setting))
	return subject.Refused(subject.NotSupported, refused)
}

// underKueue is what a graph in a queue of Kueue cannot have.
func underKueue(f *subject.Facts, o graphplan.Orchestrator) subject.Outcome {
	var outcome subject.Outcome
	if o == graphplan.Grove {
		outcome = onGroveWithKueue(f)
	}
	for _, component := range f.Graph.ComponentsByName() {
		path := graph.ComponentPath(component.Name)
		if own := first(f, component, toPods(true, metadata.LabelKueueQueue)); own.given {
			outcome.Refuse(subject.Mistake, message.Invalid(own.path, own.value,
				"reaches pod templates, into which only Kueue writes it; the graph names its queue in metadata.labels: remove it here"))
		}
		if !f.Live() {
			outcome.Refuse(subject.Mistake, otherGangs(component, path)...)
		}
		if o == graphplan.LeaderWorkerSet && component.IsMultinode() && !f.Input.Kueue.LongNames {
			outcome.Refuse(subject.Mistake, tooLong(f, component, path)...)
		}
	}
	return outcome
}

// otherGangs refuses schedulers and PodGroups of which pods wait for each other once more, after Kueue has admitted them.
func otherGangs(component *graph.Component, path *field.Path) message.List {
	var errs message.List
	spec := graph.PodPath(path)
	if name := component.SchedulerName(); name == graphplan.VolcanoScheduler || name == graphplan.KAIScheduler {
		errs = append(errs, message.Invalid(spec.Child("schedulerName"), name,
			"makes gangs and has queues of its own, but Kueue holds the pods of this graph; remove it, or the queue of Kueue"))
	}
	if component.Pod().SchedulingGroup != nil {
		errs = append(errs, message.Forbidden(spec.Child("schedulingGroup"), "may not be set, because Kueue admits the pods of this graph; remove it, or the queue of Kueue"))
	}
	return errs
}

// tooLong refuses a replica that does not exist yet and whose pods Kueue could not label.
func tooLong(f *subject.Facts, component *graph.Component, path *field.Path) message.List {
	for i := range component.Sets() {
		name := f.Graph.Names().Replica(component.Name, i)
		if len(name) <= maxKueueName || f.Observed.Has(names.KeyLeaderWorkerSet(component.Name, i)) {
			continue
		}
		return message.List{message.Invalid(path, component.Name, "LeaderWorkerSet %s would have a name of %d characters, but in a queue of Kueue it may have at most %d; use a shorter name for the {{component}} or the graph, or, where feature gate %s of Kueue is on, let the platform set kueue.longNames to true %s", name, len(name), maxKueueName, kueueGate, f.Sources.In("kueue.longNames"))}
	}
	return nil
}

// mixed refuses a new graph whose gangs Kueue would hold as well, by a label of the component.
func mixed(f *subject.Facts, on graphplan.Orchestrator) subject.Outcome {
	var o subject.Outcome
	if f.Live() || on != graphplan.LeaderWorkerSet {
		return o
	}
	for _, component := range f.Graph.ComponentsByName() {
		if own := first(f, component, toPods(true, metadata.LabelKueueQueue)); own.value != "" && component.IsMultinode() {
			o.Refuse(subject.Mistake, message.Invalid(own.path, own.value,
				"the pods of a {{component}} that spans nodes are a gang of another scheduler, which Kueue must not hold; name the queue in metadata.labels of the graph instead"))
		}
	}
	return o
}
