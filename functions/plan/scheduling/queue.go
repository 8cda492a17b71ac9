package scheduling

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/require"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/tree"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/validate"
)

const (
	requirementKAIQueue     = "kai-queue"
	requirementVolcanoQueue = "volcano-queue"
)

// Queue of a scheduler that takes the pods of a graph.
type Queue struct {
	// kind as users know it, and the object by which it is looked up.
	kind   string
	object require.Object

	// annotation by which a graph names a queue, and the setting of the input that names it for all others.
	annotation, setting string

	// named by the graph, and by the platform for graphs that name none.
	named, fallback string

	// opens says that such a queue can be closed. restarts says that it is part of the pods.
	opens, restarts bool

	// live are the queues that pods of the graph are in already.
	live []string

	// placing says that pods are still to be put into a queue.
	placing bool

	// Name of the queue that is put on pods.
	Name string

	// unmet is the queue that the graph names and that pods are not put into, since it cannot take them. Empty: there is none.
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
	// queueIsClosed: it exists and takes no pods.
	queueIsClosed
	queueIsFound
)

// kaiQueue of a graph with pods in these queues.
func kaiQueue(f *subject.Facts, live []string) Queue {
	return Queue{
		kind: "KAI Queue", object: require.Object{Name: requirementKAIQueue, APIVersion: "scheduling.run.ai/v2", Kind: "Queue"},
		annotation: metadata.AnnotationKAIQueue, setting: "kai.queue", fallback: f.Input.KAI.Queue,
		restarts: true, live: live,
	}
}

// volcanoQueue of a graph with gangs in these queues. Volcano's webhook refuses a PodGroup whose queue does not exist or is
// not open.
func volcanoQueue(f *subject.Facts, live []string) Queue {
	return Queue{
		kind: "Volcano Queue", object: require.Object{Name: requirementVolcanoQueue, APIVersion: "scheduling.volcano.sh/v1beta1", Kind: "Queue"},
		annotation: metadata.AnnotationVolcanoQueue, setting: "volcano.queue", fallback: f.Input.Volcano.Queue,
		opens: true, live: live,
	}
}

// OnGrove decides the queue of pods that KAI places.
func OnGrove(f *subject.Facts) (Queue, subject.Outcome) {
	queue := kaiQueue(f, f.Memory.KAIQueues)
	queue.placing = !f.Memory.OnGrove
	return decide(f, queue, f.Cluster.KAI)
}

// decide into which queue the pods of a graph are put: the one that it names, else the platform's. Pods that are in a queue
// leave it only for one that the graph names and that takes pods: it is part of them, so that another one restarts them.
func decide(f *subject.Facts, q Queue, served bool) (Queue, subject.Outcome) {
	var o subject.Outcome
	q.named = strings.TrimSpace(f.Graph.Annotations[q.annotation])
	if errs := validate.ObjectName(q.path(), q.named); len(errs) > 0 {
		return Queue{}, subject.Outcome{Errors: errs}
	}
	q.Name = cmp.Or(q.named, q.fallback)
	if q.named == "" && q.moves() {
		q.Name = q.live[0]
		o.Warnings = append(o.Warnings, q.keeps())
	}
	q.state = q.find(f.Requirements, served)
	if q.moves() && q.state != queueIsFound {
		q.Name, q.unmet = q.live[0], q.Name
	}
	if !f.Live() {
		o.Add(q.refuse())
	}
	return q, o
}

// moves reports whether pods leave the queues that they are in.
func (q *Queue) moves() bool { return len(q.live) > 0 && !slices.Contains(q.live, q.Name) }

// keeps says that pods stay in their queue although the platform has another one now.
func (q *Queue) keeps() string {
	remedy := fmt.Sprintf("set annotation %s to %s", q.annotation, q.fallback)
	if q.restarts {
		remedy += ", which restarts the pods"
	}
	return subject.Keeps{Setting: q.setting, Value: q.fallback, Keeper: "this one keeps", Kept: q.Name, Remedy: remedy}.String()
}

// atRest is the state of a queue into which no pods are to be put.
func (q *Queue) atRest() queueState {
	if len(q.live) == 0 {
		return queueIsNotNeeded
	}
	return queueIsInUse
}

// find the queue where pods are to be put into it. One that they are in already is not looked up: its scheduler writes to its
// status whenever it places a pod of any graph, and Crossplane counts each of these writes against the graphs that look at
// the queue.
func (q *Queue) find(r *require.Requirements, served bool) queueState {
	// Crossplane fails when it is asked for an object of a kind that is not served.
	if !served {
		return queueIsUnserved
	}
	if !q.moves() && !q.placing {
		return q.atRest()
	}
	object := q.object
	object.ObjectName = q.Name
	found, resolved := r.Get(object)
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

// refuse a new graph whose queue takes no pods, since none of its pods would ever be scheduled. For a graph that runs
// already there is a condition.
func (q *Queue) refuse() subject.Outcome {
	var problem, repair string
	switch q.state {
	case queueIsMissing:
		problem, repair = "there is no "+q.kind+" of this name", "create it"
	case queueIsClosed:
		problem, repair = "this "+q.kind+" is not open", "open it"
	case queueIsNotNeeded, queueIsUnresolved, queueIsInUse, queueIsUnserved, queueIsFound:
		return subject.Outcome{}
	}
	if q.named != "" {
		return subject.Outcome{Errors: field.ErrorList{field.Invalid(q.path(), q.Name, fmt.Sprintf(
			"%s: %s, name another, or remove the annotation for the platform's, which is %s", problem, repair, q.fallback))}}
	}
	input := field.NewPath("input", strings.Split(q.setting, ".")...)
	return subject.Outcome{Unsupported: []string{field.Invalid(input, q.Name, fmt.Sprintf("%s: let the platform %s, or set %s in the input of step plan to another; a graph can name one in annotation %s",
		problem, repair, q.setting, q.annotation)).Error()}}
}

func (q *Queue) path() *field.Path { return field.NewPath("metadata", "annotations").Key(q.annotation) }

// Condition of the queue that the graph is to be in.
func (q *Queue) Condition() (status bool, reason, message string) {
	called := q.kind + " " + cmp.Or(q.unmet, q.Name)
	until := "pods that are not scheduled yet wait until it"
	if q.unmet != "" {
		called += ", which annotation " + q.annotation + " names,"
		until = "the graph stays in " + q.Name + " until it"
	}
	switch q.state {
	case queueIsUnserved:
		return false, condition.ReasonQueueNotFound, fmt.Sprintf("%s cannot be looked up: API group %s is not served by the cluster any more, and pods of the graph wait for it", called, q.apiGroup())
	case queueIsMissing:
		return false, condition.ReasonQueueNotFound, fmt.Sprintf("%s does not exist: %s exists", called, until)
	case queueIsClosed:
		return false, condition.ReasonQueueClosed, fmt.Sprintf("%s is not open: %s is", called, until)
	case queueIsFound, queueIsInUse, queueIsUnresolved:
		// In words that stay true once it is not looked up any more: another text would be one more change of the status.
		return true, condition.ReasonQueueFound, called + " existed when pods were put into it"
	case queueIsNotNeeded:
	}
	return true, condition.ReasonQueueNotNeeded, "the graph needs no queue of a scheduler"
}

// apiGroup that serves the queue.
func (q *Queue) apiGroup() string {
	group, _, _ := strings.Cut(q.object.APIVersion, "/")
	return group
}
