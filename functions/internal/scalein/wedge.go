package scalein

import (
	"time"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
)

// quiet is how long Grove has not written the status of a child that is taken for wedged. In a sound update the status says for
// a moment that a pod is replaced while the pod still counts: it is written before the pod is deleted.
const quiet = 5 * time.Minute

// wedged reports whether the rolling update of a PodClique waits for more ready pods of the new template than it can ever have,
// and with how many replicas it goes on: those that it waits for beside the pods of the old template, which it replaces later.
func wedged(child graphplan.Child, now time.Time) (needed int32, ok bool) {
	update := child.Update
	if child.Kind != grovev1alpha1.KindPodClique || update == nil || update.Selected == 0 || child.Replicas != child.SpecReplicas {
		return 0, false
	}
	written, err := time.Parse(time.RFC3339, update.Written)
	if err != nil || now.Sub(written) < quiet {
		return 0, false
	}
	needed = update.Selected + child.Replicas - child.UpdatedReplicas
	return needed, needed > child.SpecReplicas
}
