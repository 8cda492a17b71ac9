package scheduling

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/validate"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

const (
	requirementKAIQueue     = "kai-queue"
	requirementVolcanoQueue = "volcano-queue"
	requirementKueueQueue   = "kueue-queue"
)

// Queue of a scheduler for the pods of a graph.
type Queue struct {
	// kind as shown to users, and the object that is looked up.
	kind   string
	object require.Object

	// at is the place in which a graph names its queue, and the setting of the input for all other graphs.
	at      place
	setting string

	// named by the graph, and the default of the platform.
	named, fallback string

	// implied is the queue of pods for which none is written. It is empty if there is none.
	implied string

	// opens is true if such a queue can be closed. stays is true if pods that run stay in their queue whatever the graph names.
	opens, stays bool

	// live are the queues that already have pods of the graph.
	live []string

	// placing is true if pods have to be added to a queue.
	placing bool

	// Name of the queue that is set on pods.
	Name string

	// unmet is the queue that the graph names but that does not accept pods. Empty if there is none.
	unmet string

	// state of the queue that was looked up.
	state queueState
}

// queueState is what is known of a queue.
type queueState int

const (
	// queueIsNotNeeded: the graph needs no queue.
	queueIsNotNeeded queueState = iota
	// queueIsUnresolved: Crossplane has not looked it up yet.
	queueIsUnresolved
	// queueIsInUse: pods are in it, and it is not looked up.
	queueIsInUse
	queueIsUnserved
	queueIsMissing
	// queueIsClosed: it exists, but does not accept pods.
	queueIsClosed
	queueIsFound
)

// kaiQueue of a graph with pods in these queues. The queue is a label of the pods, and KAI keeps the one with which their PodGroup was
// created: another label would replace all pods, and move none of them.
// https://github.com/kai-scheduler/KAI-Scheduler/blob/v0.17.0/pkg/podgrouper/podgroup/handler.go
func kaiQueue(f *subject.Facts, live []string) Queue {
	q := Queue{
		kind: "KAI Queue", object: require.Object{Name: requirementKAIQueue, APIVersion: "scheduling.run.ai/v2", Kind: "Queue"},
		at: place{key: metadata.AnnotationKAIQueue}, setting: "kai.queue", fallback: f.Input.KAI.QueueOrDefault(),
		stays: true, live: live,
	}
	// A label of the graph takes precedence, because KAI reads it where it may read graphs. One that comes too late has no effect.
	if name := f.Graph.Labels[metadata.LabelKAIQueue]; name != "" && (len(live) == 0 || slices.Contains(live, name)) {
		q.at = place{labels: true, key: metadata.LabelKAIQueue}
	}
	return q
}

// volcanoQueue of a graph with gangs in these queues. Volcano's webhook refuses a PodGroup whose queue does not exist or is
// not open.
func volcanoQueue(f *subject.Facts, live []string) Queue {
	return Queue{
		kind: "Volcano Queue", object: require.Object{Name: requirementVolcanoQueue, APIVersion: "scheduling.volcano.sh/v1beta1", Kind: "Queue"},
		at: place{key: metadata.AnnotationVolcanoQueue}, setting: "volcano.queue", fallback: cmp.Or(f.Input.Volcano.Queue, "default"),
		opens: true, live: live,
	}
}

// decide the queue of the pods of a graph: the queue that the graph names, or the default of the platform. Pods that are in a queue
// only move to another queue if the graph names it and it accepts pods, because moving may restart them.
func decide(f *subject.Facts, q Queue, served bool) (Queue, subject.Outcome) {
	var o subject.Outcome
	q.named, _ = q.at.written(f, nil)
	errs := validate.ObjectName(q.path(), q.named)
	if q.stays {
		errs = queueName(&q) // The queue of KAI is a label.
	}
	if len(errs) > 0 {
		return Queue{}, subject.Refused(subject.Mistake, errs...)
	}
	q.Name = cmp.Or(q.named, q.fallback)
	switch {
	case q.named == "" && q.moves():
		q.Name = q.live[0]
		o.Warnings = append(o.Warnings, q.keeps(f))
	case q.moves() && q.stays:
		q.Name = q.live[0]
		o.Refuse(subject.ImmutableChange, message.Invalid(q.path(), q.named, "a running graph stays in its %s: its pods would be replaced, and the scheduler would keep them in queue %s; set it to %s, or delete the graph and create it again", q.kind, q.Name, q.Name))
	}
	q.state = q.lookUp(f, &o.Requirements, served)
	if q.moves() && q.state != queueIsFound {
		q.Name, q.unmet = q.live[0], q.Name
	}
	if !f.Live() {
		o.Add(q.refuse(f))
	}
	return q, o
}

// moves reports whether pods leave the queues that they are in.
func (q *Queue) moves() bool { return len(q.live) > 0 && !slices.Contains(q.live, q.Name) }

// keeps is the warning that pods stay in their queue although the default of the platform has changed.
func (q *Queue) keeps(f *subject.Facts) *message.Message {
	remedy := fmt.Sprintf("set annotation %s to %s", q.at.key, q.fallback)
	if q.stays {
		remedy = subject.Recreate
	}
	return f.Keeps(subject.Keeps{Setting: q.setting, Value: q.fallback, Keeper: "this graph keeps", Current: q.Name, Remedy: remedy})
}

// atRest is the state of a queue to which no pods have to be added.
func (q *Queue) atRest() queueState {
	if len(q.live) == 0 {
		return queueIsNotNeeded
	}
	return queueIsInUse
}

// lookUp the queue if pods have to be added to it. A queue that already has the pods is not looked up: its scheduler writes its status
// whenever it schedules a pod of any graph, and each write costs the graphs that require the queue tokens of Crossplane's circuit
// breaker.
func (q *Queue) lookUp(f *subject.Facts, r *require.Requirements, served bool) queueState {
	// Crossplane fails if an object of a kind that is not served is required.
	if !served {
		return queueIsUnserved
	}
	if !q.moves() && !q.placing {
		return q.atRest()
	}
	object := q.object
	object.ObjectName = q.Name
	found, resolved := r.Get(f.Answers, object)
	switch {
	case !resolved:
		return queueIsUnresolved
	case found == nil:
		return queueIsMissing
	case q.opens && tree.Text(found, "state", "status") != "Open":
		return queueIsClosed
	default:
		return queueIsFound
	}
}

// refuse a new graph whose queue does not accept pods, because none of its pods would ever be scheduled. For a running graph there is
// a condition instead.
func (q *Queue) refuse(f *subject.Facts) subject.Outcome {
	var problem, repair string
	switch q.state {
	case queueIsMissing:
		problem, repair = fmt.Sprintf("this %s does not exist", q.kind), "create it"
	case queueIsClosed:
		problem, repair = fmt.Sprintf("this %s is not open", q.kind), "open it"
	case queueIsNotNeeded, queueIsUnresolved, queueIsInUse, queueIsUnserved, queueIsFound:
		return subject.Outcome{}
	}
	if q.named != "" {
		remedy := fmt.Sprintf("remove the %s", q.place())
		if q.fallback != "" {
			remedy += " to use the platform's default, which is " + q.fallback
		}
		return subject.Refused(subject.Mistake, message.Invalid(q.path(), q.Name, "%s; %s, specify another queue, or %s", problem, repair, remedy))
	}
	return subject.Refused(subject.NotSupported, message.Invalid(f.Sources.Path(q.setting), q.Name, "%s; let the platform %s, or set %s to another queue %s; a graph can specify its own queue in %s %s", problem, repair, q.setting, f.Sources.In(q.setting), q.place(), q.at.key))
}

// place is where a graph names its queue.
func (q *Queue) place() string {
	if q.at.labels {
		return "label"
	}
	return "annotation"
}

// Written is the queue that is written to objects. It is empty if there is none, because pods are in it anyway, and the graph does not name it.
func (q *Queue) Written() string {
	if q.named == "" && q.Name == q.implied {
		return ""
	}
	return q.Name
}

// Named is the queue that the graph names in an annotation at a path, and whether its pods are in it. An empty name means that the graph names
// none, or the default of the platform.
func (q *Queue) Named() (path *field.Path, name string, live bool) {
	if q.named == q.fallback && q.at.labels {
		return q.path(), "", false
	}
	if q.named == q.fallback {
		return nil, "", false
	}
	return q.path(), q.named, slices.Contains(q.live, q.named)
}

func (q *Queue) path() *field.Path { return q.at.path(nil) }

// Condition of the queue for the graph.
func (q *Queue) Condition() (status bool, reason, text string) {
	queue := q.kind + " " + cmp.Or(q.unmet, q.Name)
	consequence := "pods that are not scheduled yet are waiting for it"
	if q.unmet != "" {
		queue = fmt.Sprintf("%s of annotation %s", queue, q.at.key)
		consequence = fmt.Sprintf("the graph stays in queue %s until then", q.Name)
	}
	switch q.state {
	case queueIsUnserved:
		return false, condition.ReasonQueueNotFound, fmt.Sprintf("%s cannot be looked up, because API group %s is no longer served by the cluster; %s", queue, q.apiGroup(), consequence)
	case queueIsMissing:
		return false, condition.ReasonQueueNotFound, fmt.Sprintf("%s does not exist; %s", queue, consequence)
	case queueIsClosed:
		return false, condition.ReasonQueueClosed, fmt.Sprintf("%s is not open; %s", queue, consequence)
	case queueIsFound, queueIsInUse, queueIsUnresolved:
		// The text must remain true when the queue is no longer looked up, because another text would write the status again.
		return true, condition.ReasonQueueFound, queue + " existed when pods were added to it"
	case queueIsNotNeeded:
	}
	return true, condition.ReasonQueueNotNeeded, "the graph does not use a scheduling queue"
}

// apiGroup that serves the queue.
func (q *Queue) apiGroup() string {
	group, _, _ := strings.Cut(q.object.APIVersion, "/")
	return group
}
