package status

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/health/readiness"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/health/workload"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// TestQuota shows what components in a queue of Kueue wait for.
func TestQuota(t *testing.T) {
	plan := func(queue, reason string) *graphplan.Plan {
		return &graphplan.Plan{KueueQueue: queue, Components: map[string]graphplan.Component{"Worker": {Quota: reason}}}
	}
	components := func(ready bool) map[string]workload.Workload {
		return map[string]workload.Workload{
			"Frontend": {Kind: v1alpha1.ComponentKindDeployment, Ready: ready}, "Worker": {Kind: v1alpha1.ComponentKindLeaderWorkerSet, Ready: ready},
		}
	}
	onGrove := func(bool) map[string]workload.Workload {
		return map[string]workload.Workload{"Frontend": {Kind: v1alpha1.ComponentKindPodClique, Ready: true}, "Worker": {Kind: v1alpha1.ComponentKindPodCliqueScalingGroup}}
	}
	const single, gang = "Frontend: new pods wait for quota in LocalQueue team of Kueue", "Worker: waits for quota in LocalQueue team of Kueue (Pending)"
	cases := map[string]struct {
		reason string
		plan   *graphplan.Plan
		ready  bool
		// components are those on LeaderWorkerSets if they are nil.
		components func(ready bool) map[string]workload.Workload
		want       string
	}{
		"None":     {reason: "Without a queue nothing waits for quota.", plan: plan("", ""), want: "All resources are ready"},
		"Waits":    {reason: "A gang says why it waits, single pods do not.", plan: plan("team", "Pending"), want: "Resources not ready: " + single + "; " + gang},
		"Admitted": {reason: "A gang that is admitted waits for something else.", plan: plan("team", ""), want: "Resources not ready: " + single},
		"OnGrove":  {reason: "Grove names the Workloads of its gangs.", plan: plan("team", ""), components: onGrove, want: "Resources not ready: Worker: new pods wait for quota in LocalQueue team of Kueue"},
		"Ready":    {reason: "What is ready waits for nothing.", plan: plan("team", ""), ready: true, want: "All resources are ready"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := &readiness.Readiness{}
			if tc.components == nil {
				tc.components = components
			}
			addQuota(r, tc.plan, tc.components(tc.ready))
			if diff := cmp.Diff(tc.want, r.Condition(&fnv1.RunFunctionRequest{}).Message); diff != "" {
				t.Errorf("%s\nmessage: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
