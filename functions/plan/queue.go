package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/grovev1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/require"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
)

const requirementKAIQueue = "kai-queue"

// The schedulers that place all pods of a gang or none.
const (
	kaiScheduler     = "kai-scheduler"
	volcanoScheduler = "volcano"
)

// queue of the graph's pods, and whether it exists.
type queue struct {
	name    string
	needed  bool
	missing bool
	// unserved says that the kind of the queue is not served any more.
	unserved bool
}

// findQueue decides the KAI queue of a graph. A new graph whose queue does not exist is refused, since none of its pods
// would ever be scheduled; for a graph that runs already a condition tells.
func findQueue(g *graph.Graph, c cluster, m *memory, in *v1alpha1.Input, r *require.Requirements) (queue, field.ErrorList) {
	if !usesKAI(c, m) {
		return queue{}, nil
	}
	q := queue{name: cmp.Or(strings.TrimSpace(g.Annotations[metadata.AnnotationKAIQueue]), in.KAI.Queue), needed: true}
	path := field.NewPath("metadata", "annotations").Key(metadata.AnnotationKAIQueue)
	if errs := objectName(path, q.name); len(errs) > 0 {
		return q, errs
	}
	// Crossplane fails when it is asked for an object of a kind that is not served.
	if !c.kai {
		q.missing, q.unserved = true, true
		return q, nil
	}
	object, resolved := r.Get(require.Object{
		Name: requirementKAIQueue, APIVersion: "scheduling.run.ai/v2", Kind: "Queue", ObjectName: q.name,
	})
	q.missing = resolved && object == nil
	if !q.missing || m.exists() {
		return q, nil
	}
	return q, field.ErrorList{field.NotFound(path,
		fmt.Sprintf("KAI Queue %s: create it, or name one that exists in this annotation (the platform's default is %s)", q.name, in.KAI.Queue))}
}

// usesKAI reports whether the pods of a graph are KAI's. On Grove this is decided once, since Grove refuses to change the
// scheduler of a clique: installing or removing KAI leaves the graphs that run already as they are.
func usesKAI(c cluster, m *memory) bool {
	if m.podCliqueSet == nil {
		return c.kai
	}
	return slices.ContainsFunc(m.podCliqueSet.Spec.Template.Cliques, func(clique grovev1alpha1.Clique) bool {
		return clique.Spec.PodSpec.SchedulerName == kaiScheduler && clique.Labels[metadata.LabelKAIQueue] != ""
	})
}

// condition of the queue.
func (q queue) condition() (status bool, reason, message string) {
	switch {
	case !q.needed:
		return true, condition.ReasonQueueNotNeeded, "the graph needs no queue of the KAI scheduler"
	case q.unserved:
		return false, condition.ReasonQueueNotFound, fmt.Sprintf("KAI Queue %s cannot be looked up: API group scheduling.run.ai is not served by the cluster any more, and pods of the graph wait for it", q.name)
	case q.missing:
		return false, condition.ReasonQueueNotFound, fmt.Sprintf("KAI Queue %s does not exist: pods that are not scheduled yet wait until it is back", q.name)
	default:
		return true, condition.ReasonQueueFound, fmt.Sprintf("KAI Queue %s exists", q.name)
	}
}
