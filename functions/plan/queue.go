package plan

import (
	"cmp"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
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
}

// findQueue decides the KAI queue of a graph. A new graph whose queue does not exist is refused, since none of its pods
// would ever be scheduled; for a graph that runs already a condition tells.
func findQueue(g *graph.Graph, c cluster, m *memory, in *v1alpha1.Input, r *require.Requirements) (queue, field.ErrorList) {
	if !c.kai {
		return queue{}, nil
	}
	q := queue{name: cmp.Or(strings.TrimSpace(g.Annotations[metadata.AnnotationKAIQueue]), in.KAI.Queue), needed: true}
	object, resolved := r.Get(require.Object{
		Name: requirementKAIQueue, APIVersion: "scheduling.run.ai/v2", Kind: "Queue", ObjectName: q.name,
	})
	q.missing = resolved && object == nil
	if !q.missing || m.exists() {
		return q, nil
	}
	return q, field.ErrorList{field.NotFound(field.NewPath("metadata", "annotations").Key(metadata.AnnotationKAIQueue),
		fmt.Sprintf("KAI Queue %s: create it, or name one that exists in this annotation (the platform's default is %s)", q.name, in.KAI.Queue))}
}

// condition of the queue.
func (q queue) condition() (status bool, reason, message string) {
	switch {
	case !q.needed:
		return true, condition.ReasonQueueNotNeeded, "the KAI scheduler is not installed"
	case q.missing:
		return false, condition.ReasonQueueNotFound, fmt.Sprintf("KAI Queue %s does not exist: pods that are not scheduled yet wait until it is back", q.name)
	default:
		return true, condition.ReasonQueueFound, fmt.Sprintf("KAI Queue %s exists", q.name)
	}
}
