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

// addQuota adds the quota of Kueue that services wait for. Of a gang on LeaderWorkerSets, its Workload says so. The Workloads of single pods and
// of Grove's gangs have names that only their creators know, so all that is certain is that new pods are held until there is quota.
func addQuota(r *readiness.Readiness, p *graphplan.Plan, services map[string]workload.Workload) {
	if p.KueueQueue == "" {
		return
	}
	for _, service := range slices.Sorted(maps.Keys(services)) {
		w, reason := services[service], p.Services[service].Quota
		switch {
		case w.Ready:
		case reason != "":
			r.AddService(service, fmt.Sprintf("waits for quota in LocalQueue %s of Kueue (%s)", p.KueueQueue, reason), condition.ReasonSomeResourcesNotReady)
		case w.Kind != v1alpha1.ComponentKindLeaderWorkerSet:
			r.AddService(service, "new pods wait for quota in LocalQueue "+p.KueueQueue+" of Kueue", condition.ReasonSomeResourcesNotReady)
		}
	}
}
