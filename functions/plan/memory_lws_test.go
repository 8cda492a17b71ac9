package plan_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
)

// TestLWSGone shows that a graph on LeaderWorkerSets is never started a second time while their API is gone.
func TestLWSGone(t *testing.T) {
	const message = "the graph runs on LeaderWorkerSet, but API group leaderworkerset.x-k8s.io is no longer served by the cluster; " +
		"nothing is changed until it is served again; to move the graph to another orchestrator, delete and recreate it"
	reference := plantest.ReferenceTo("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "llama-worker-0")
	xr := plantest.Graph(plantest.Frontend, plantest.Multinode)
	deployed := plantest.Graph(plantest.Frontend, plantest.Multinode, plantest.RunningOn("LeaderWorkerSet"))
	const notServed = "API group leaderworkerset.x-k8s.io: is not served by the cluster"
	gone := func(unreadyToo string) *fnv1.RunFunctionResponse {
		return want(asksForGroups(), refusal("NotSupportedHere", message), conditioned("OrchestratorSelected", isFalse, "OrchestratorGone", message),
			unserved(notServed+"; "+unreadyToo))
	}
	withoutLWS := plantest.WithGroups("grove", "volcano", "kai")

	compare(t, map[string]responseCase{
		"Observed": {
			reason: "A LeaderWorkerSet is still observed.",
			req:    plantest.Request(xr, withoutLWS, plantest.WithObserved("leaderworkerset-worker-0", plantest.SetOfVolcano())),
			want:   gone("LeaderWorkerSet llama-worker-0: 0 of 1 groups have pods"),
		},
		"OthersObserved": {
			reason: "Of the graph only the Deployment is still observed.",
			req:    plantest.Request(xr, withoutLWS, plantest.WithObserved("deployment-frontend", plantest.FrontendDeployment())),
			want:   gone("Deployment llama-frontend: 0 of 1 replicas are updated"),
		},
		"References": {
			reason: "Only the reference to the LeaderWorkerSet is left, and the status confirms it.",
			req:    plantest.Request(deployed, plantest.WithReferences(reference), withoutLWS),
			want:   gone("LeaderWorkerSet llama-worker-0: does not exist"),
		},
		"LegacyReferences": {
			reason: "Only the reference of a legacy composite resource is left.",
			req:    plantest.Request(deployed, plantest.OfClaim, plantest.WithLegacyReferences(reference), withoutLWS),
			want:   gone("LeaderWorkerSet llama-worker-0: does not exist"),
		},
		"Status": {
			reason: "Crossplane has dropped the reference, and the status remembers; what is gone is not ready, and the other conditions are repeated.",
			req: plantest.Request(plantest.Graph(plantest.Frontend, plantest.Multinode, plantest.RunningOn("LeaderWorkerSet",
				metav1.Condition{Type: "Accepted", Status: metav1.ConditionTrue, Reason: "Valid"},
				metav1.Condition{Type: "QueueAvailable", Status: metav1.ConditionTrue, Reason: "QueueFound", Message: "m"},
				metav1.Condition{Type: "ServicesReady", Status: metav1.ConditionTrue, Reason: "all_resources_are_ready"},
			)), withoutLWS),
			want: want(asksForGroups(), refusal("NotSupportedHere", message),
				conditioned("OrchestratorSelected", isFalse, "OrchestratorGone", message),
				unserved(notServed), conditioned("QueueAvailable", isTrue, "QueueFound", "m")),
		},
		"Unknown": {
			reason: "An API group that has not been looked up yet is not taken to be gone.",
			req:    plantest.Request(xr, plantest.WithObserved("leaderworkerset-worker-0", plantest.SetOfVolcano())),
			want:   want(asksForGroups()),
		},
	})
}
