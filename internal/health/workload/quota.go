package workload

import (
	"fmt"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
)

// awaitQuota of a queue of Kueue, for a reason. Without a reason, nothing waits for it.
func (w *Workload) awaitQuota(queue, reason string) {
	if !w.Ready && reason != "" {
		w.Await(fmt.Sprintf("waits for quota in LocalQueue %s of Kueue (%s)", queue, reason), condition.ReasonSomeResourcesNotReady)
	}
}

// awaitPods that Kueue may hold one by one, without a word in their Deployment.
func (w *Workload) awaitPods(queue string) {
	if !w.Ready && queue != "" {
		w.Await("new pods wait for quota in LocalQueue "+queue+" of Kueue", condition.ReasonSomeResourcesNotReady)
	}
}
