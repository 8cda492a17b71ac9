package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/grovev1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/require"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/tree"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/validate"
)

const (
	requirementKAIQueue     = "kai-queue"
	requirementVolcanoQueue = "volcano-queue"
)

// The schedulers that place all pods of a gang or none.
const (
	kaiScheduler     = "kai-scheduler"
	volcanoScheduler = "volcano"
)

// queue of a scheduler that takes the pods of a graph.
type queue struct {
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

	// name of the queue that is put on pods.
	name string

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
func (d *decider) kaiQueue(live []string) queue {
	return queue{
		kind: "KAI Queue", object: require.Object{Name: requirementKAIQueue, APIVersion: "scheduling.run.ai/v2", Kind: "Queue"},
		annotation: metadata.AnnotationKAIQueue, setting: "kai.queue", fallback: d.input.KAI.Queue,
		restarts: true, live: live,
	}
}

// volcanoQueue of a graph with gangs in these queues. Volcano's webhook refuses a PodGroup whose queue does not exist or is
// not open.
func (d *decider) volcanoQueue(live []string) queue {
	return queue{
		kind: "Volcano Queue", object: require.Object{Name: requirementVolcanoQueue, APIVersion: "scheduling.volcano.sh/v1beta1", Kind: "Queue"},
		annotation: metadata.AnnotationVolcanoQueue, setting: "volcano.queue", fallback: d.input.Volcano.Queue,
		opens: true, live: live,
	}
}

// decideQueue puts the pods of a graph into the queue that it names, or the platform. Pods that are in a queue leave it only
// for one that the graph names and that takes pods: it is part of them, so that another one restarts them.
func (d *decider) decideQueue(out *decision, q queue, served bool) {
	q.named = strings.TrimSpace(d.graph.Annotations[q.annotation])
	if errs := validate.ObjectName(q.path(), q.named); len(errs) > 0 {
		out.errs = append(out.errs, errs...)
		return
	}
	q.name = cmp.Or(q.named, q.fallback)
	if q.named == "" && q.moves() {
		out.warnings = append(out.warnings, q.keep())
	}
	q.state = q.find(d.requirements, served)
	if q.moves() && q.state != queueIsFound {
		q.name, q.unmet = q.live[0], q.name
	}
	if !d.memory.exists() {
		q.refuse(out)
	}
	out.queue = q
}

// moves reports whether pods leave the queues that they are in.
func (q *queue) moves() bool { return len(q.live) > 0 && !slices.Contains(q.live, q.name) }

// keep the queue that pods are in, and say that the platform has another one now.
func (q *queue) keep() string {
	q.name = q.live[0]
	remedy := fmt.Sprintf("set annotation %s to %s", q.annotation, q.fallback)
	if q.restarts {
		remedy += ", which restarts the pods"
	}
	return keeps{setting: q.setting, value: q.fallback, keeper: "this one keeps", kept: q.name, remedy: remedy}.String()
}

// atRest is the state of a queue into which no pods are to be put.
func (q *queue) atRest() queueState {
	if len(q.live) == 0 {
		return queueIsNotNeeded
	}
	return queueIsInUse
}

// find the queue where pods are to be put into it. One that they are in already is not looked up: its scheduler writes to its
// status whenever it places a pod of any graph, and Crossplane counts each of these writes against the graphs that look at
// the queue.
func (q *queue) find(r *require.Requirements, served bool) queueState {
	// Crossplane fails when it is asked for an object of a kind that is not served.
	if !served {
		return queueIsUnserved
	}
	if !q.moves() && !q.placing {
		return q.atRest()
	}
	object := q.object
	object.ObjectName = q.name
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
// already a condition tells.
func (q *queue) refuse(out *decision) {
	var problem, repair string
	switch q.state {
	case queueIsMissing:
		problem, repair = "there is no "+q.kind+" of this name", "create it"
	case queueIsClosed:
		problem, repair = "this "+q.kind+" is not open", "open it"
	case queueIsNotNeeded, queueIsUnresolved, queueIsInUse, queueIsUnserved, queueIsFound:
		return
	}
	if q.named != "" {
		out.errs = append(out.errs, field.Invalid(q.path(), q.name, fmt.Sprintf("%s: %s, name another, or remove the annotation for the platform's, which is %s", problem, repair, q.fallback)))
		return
	}
	input := field.NewPath("input", strings.Split(q.setting, ".")...)
	out.unsupported = append(out.unsupported, field.Invalid(input, q.name, fmt.Sprintf("%s: let the platform %s, or set %s in the input of step plan to another; a graph can name one in annotation %s",
		problem, repair, q.setting, q.annotation)).Error())
}

func (q *queue) path() *field.Path { return field.NewPath("metadata", "annotations").Key(q.annotation) }

// condition of the queue that the graph is to be in.
func (q *queue) condition() (status bool, reason, message string) {
	called := q.kind + " " + cmp.Or(q.unmet, q.name)
	until := "pods that are not scheduled yet wait until it"
	if q.unmet != "" {
		called += ", which annotation " + q.annotation + " names,"
		until = "the graph stays in " + q.name + " until it"
	}
	switch q.state {
	case queueIsUnserved:
		return false, condition.ReasonQueueNotFound, fmt.Sprintf("%s cannot be looked up: API group %s is not served by the cluster any more, and pods of the graph wait for it", called, q.group())
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

// group of the API that serves the queue.
func (q *queue) group() string {
	group, _, _ := strings.Cut(q.object.APIVersion, "/")
	return group
}

// usesKAI reports whether the pods of a graph are KAI's. This is decided once, since Grove refuses to change the
// scheduler of a clique, and LeaderWorkerSets would make all pods anew: installing or removing KAI leaves the graphs that
// run already as they are.
func usesKAI(c cluster, m *memory) bool {
	if m.podCliqueSet == nil && m.gangs.scheduler == "" {
		return c.kai
	}
	return m.onKAI()
}

// onKAI reports whether pods of a live graph are KAI's.
func (m *memory) onKAI() bool {
	if m.podCliqueSet != nil {
		return len(kaiQueuesOf(m.podCliqueSet)) > 0
	}
	return m.gangs.scheduler == kaiScheduler
}

// kaiQueuesOf a PodCliqueSet are those that its pods are in. None: they are not KAI's, or their user chose it.
func kaiQueuesOf(set *grovev1alpha1.PodCliqueSet) []string {
	var queues []string
	if set == nil {
		return nil
	}
	for _, clique := range set.Spec.Template.Cliques {
		if queue := clique.Labels[metadata.LabelKAIQueue]; queue != "" && clique.Spec.PodSpec.SchedulerName == kaiScheduler {
			queues = append(queues, queue)
		}
	}
	return queues
}
