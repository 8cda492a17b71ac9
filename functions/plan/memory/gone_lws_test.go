package memory_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest/whole"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
)

// TestLWSGone shows that a graph on LeaderWorkerSets is never started a second time while their API is gone.
func TestLWSGone(t *testing.T) {
	reference := plantest.ReferenceTo("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "llama-worker-0")
	xr := plantest.Graph(plantest.Frontend, plantest.Multinode)
	deployed := plantest.Graph(plantest.Frontend, plantest.Multinode, plantest.RunningOn("LeaderWorkerSet"))
	withoutLWS := plantest.WithGroups("grove", "volcano", "kai")

	compare(t, map[string]whole.Row[selection]{
		"Observed": {
			Reason:  "A LeaderWorkerSet is still observed.",
			Request: plantest.Request(xr, withoutLWS, plantest.WithObserved("leaderworkerset-worker-0", plantest.SetOfVolcano())),
			Want:    selection{Said: gone(), Selected: condition.ReasonOrchestratorGone},
		},
		"OthersObserved": {
			Reason:  "Of the graph only the Deployment is still observed.",
			Request: plantest.Request(xr, withoutLWS, plantest.WithObserved("deployment-frontend", plantest.FrontendDeployment())),
			Want:    selection{Said: gone(), Selected: condition.ReasonOrchestratorGone},
		},
		"References": {
			Reason:  "Only the reference to the LeaderWorkerSet is left, and the status confirms it.",
			Request: plantest.Request(deployed, plantest.WithReferences(reference), withoutLWS),
			Want:    selection{Said: gone(), Selected: condition.ReasonOrchestratorGone},
		},
		"LegacyReferences": {
			Reason:  "Only the reference of a legacy composite resource is left.",
			Request: plantest.Request(deployed, plantest.OfClaim, plantest.WithLegacyReferences(reference), withoutLWS),
			Want:    selection{Said: gone(), Selected: condition.ReasonOrchestratorGone},
		},
		"Status": {
			Reason: "Crossplane has dropped the reference, and the status remembers; what is gone is not ready, and the other conditions are repeated.",
			Request: plantest.Request(plantest.Graph(plantest.Frontend, plantest.Multinode, plantest.RunningOn("LeaderWorkerSet",
				metav1.Condition{Type: "Accepted", Status: metav1.ConditionTrue, Reason: "Valid"},
				metav1.Condition{Type: "QueueAvailable", Status: metav1.ConditionTrue, Reason: "QueueFound", Message: "m"},
				metav1.Condition{Type: "ServicesReady", Status: metav1.ConditionTrue, Reason: "all_resources_are_ready"},
			)), withoutLWS),
			Want: selection{Said: gone(), Selected: condition.ReasonOrchestratorGone},
		},
		"Unknown": {
			Reason:  "An API group that has not been looked up yet is not taken to be gone.",
			Request: plantest.Request(xr, plantest.WithObserved("leaderworkerset-worker-0", plantest.SetOfVolcano())),
			Want:    selection{},
		},
	})
}
