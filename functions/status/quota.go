package status

import (
	"fmt"
	"maps"
	"slices"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/health/readiness"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/health/workload"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
)

// addQuota adds the quota of Kueue that components wait for. Of a gang on LeaderWorkerSets, its Workload says so. The Workloads of single pods and
// of Grove's gangs have names that only their creators know, so all that is certain is that new pods are held until there is quota.
func addQuota(r *readiness.Readiness, p *graphplan.Plan, components map[string]workload.Workload) {
	if p.KueueQueue == "" {
		return
	}
	for _, component := range slices.Sorted(maps.Keys(components)) {
		w, reason := components[component], p.Components[component].Quota
		switch {
		case w.Ready:
		case reason != "":
			r.AddComponent(component, fmt.Sprintf("waits for quota in LocalQueue %s of Kueue (%s)", p.KueueQueue, reason), condition.ReasonSomeResourcesNotReady)
		case w.Kind != v1alpha1.ComponentKindLeaderWorkerSet:
			r.AddComponent(component, "new pods wait for quota in LocalQueue "+p.KueueQueue+" of Kueue", condition.ReasonSomeResourcesNotReady)
		}
	}
}
