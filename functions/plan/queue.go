package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/grovev1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/require"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
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

// queue of the graph's pods, and whether it takes them.
type queue struct {
	// kind as users know it, its API group, the annotation that names a queue, and the platform's queue.
	kind, group, annotation, fallback string

	name    string
	needed  bool
	missing bool
	// closed says that the queue exists and takes no pods.
	closed bool
	// unserved says that the kind of the queue is not served any more.
	unserved bool
}

// findQueue decides the KAI queue of a graph.
func findQueue(g *graph.Graph, c cluster, m *memory, in *v1alpha1.Input, r *require.Requirements) (queue, field.ErrorList) {
	if !usesKAI(c, m) {
		return queue{}, nil
	}
	q := queue{kind: "KAI Queue", group: "scheduling.run.ai", annotation: metadata.AnnotationKAIQueue, fallback: in.KAI.Queue, needed: true}
	_, errs := q.find(g, r, c.kai, require.Object{Name: requirementKAIQueue, APIVersion: "scheduling.run.ai/v2", Kind: "Queue"})
	return q, append(errs, q.refuse(m)...)
}

// findVolcanoQueue decides the Volcano queue of a graph. Volcano's webhook refuses a PodGroup whose queue does not exist
// or is not open.
func findVolcanoQueue(g *graph.Graph, c cluster, m *memory, in *v1alpha1.Input, r *require.Requirements) (queue, field.ErrorList) {
	q := queue{kind: "Volcano Queue", group: "scheduling.volcano.sh", annotation: metadata.AnnotationVolcanoQueue, fallback: in.Volcano.Queue, needed: true}
	object, errs := q.find(g, r, c.volcano, require.Object{Name: requirementVolcanoQueue, APIVersion: "scheduling.volcano.sh/v1beta1", Kind: "Queue"})
	state := object.GetFields()["status"].GetStructValue().GetFields()["state"].GetStringValue()
	q.closed = object != nil && state != "Open"
	return q, append(errs, q.refuse(m)...)
}

func (q *queue) path() *field.Path { return field.NewPath("metadata", "annotations").Key(q.annotation) }

// find the object that a queue is.
func (q *queue) find(g *graph.Graph, r *require.Requirements, served bool, o require.Object) (*structpb.Struct, field.ErrorList) {
	q.name = cmp.Or(strings.TrimSpace(g.Annotations[q.annotation]), q.fallback)
	if errs := objectName(q.path(), q.name); len(errs) > 0 {
		return nil, errs
	}
	// Crossplane fails when it is asked for an object of a kind that is not served.
	if !served {
		q.missing, q.unserved = true, true
		return nil, nil
	}
	o.ObjectName = q.name
	object, resolved := r.Get(o)
	q.missing = resolved && object == nil
	return object, nil
}

// refuse a new graph whose queue takes no pods, since none of its pods would ever be scheduled. For a graph that runs
// already a condition tells.
func (q *queue) refuse(m *memory) field.ErrorList {
	remedy := fmt.Sprintf("in this annotation (the platform's default is %s)", q.fallback)
	switch {
	case m.exists():
		return nil
	case q.missing:
		return field.ErrorList{field.Invalid(q.path(), q.name, fmt.Sprintf("there is no %s of this name; create it, or name one that exists %s", q.kind, remedy))}
	case q.closed:
		return field.ErrorList{field.Invalid(q.path(), q.name, fmt.Sprintf("this %s is not open; open it, or name one that is %s", q.kind, remedy))}
	default:
		return nil
	}
}

// usesKAI reports whether the pods of a graph are KAI's. This is decided once, since Grove refuses to change the
// scheduler of a clique, and LeaderWorkerSets would make all pods anew: installing or removing KAI leaves the graphs that
// run already as they are.
func usesKAI(c cluster, m *memory) bool {
	switch {
	case m.podCliqueSet != nil:
		return slices.ContainsFunc(m.podCliqueSet.Spec.Template.Cliques, func(clique grovev1alpha1.Clique) bool {
			return clique.Spec.PodSpec.SchedulerName == kaiScheduler && clique.Labels[metadata.LabelKAIQueue] != ""
		})
	case m.gangs.scheduler != "":
		return m.gangs.scheduler == kaiScheduler
	default:
		return c.kai
	}
}

// condition of the queue.
func (q *queue) condition() (status bool, reason, message string) {
	switch {
	case !q.needed:
		return true, condition.ReasonQueueNotNeeded, "the graph needs no queue of a scheduler"
	case q.unserved:
		return false, condition.ReasonQueueNotFound, fmt.Sprintf("%s %s cannot be looked up: API group %s is not served by the cluster any more, and pods of the graph wait for it", q.kind, q.name, q.group)
	case q.missing:
		return false, condition.ReasonQueueNotFound, fmt.Sprintf("%s %s does not exist: pods that are not scheduled yet wait until it is back", q.kind, q.name)
	case q.closed:
		return false, condition.ReasonQueueClosed, fmt.Sprintf("%s %s is not open: pods that are not scheduled yet wait until it is", q.kind, q.name)
	default:
		return true, condition.ReasonQueueFound, fmt.Sprintf("%s %s exists", q.kind, q.name)
	}
}
