package plan_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step/steptest"
)

// TestGroveGone shows that a graph on Grove is never started a second time while Grove's API is gone.
func TestGroveGone(t *testing.T) {
	const message = "the graph runs on Grove, but API group grove.io is no longer served by the cluster; nothing is changed until it is served again; " +
		"to move the graph to another orchestrator, delete and recreate it"
	xr, deployed := plantest.Graph(plantest.Frontend), plantest.Graph(plantest.Frontend, plantest.RunningOn("Grove"))
	const notServed = "API group grove.io: is not served by the cluster"
	gone := func(unreadyToo string) *fnv1.RunFunctionResponse {
		return want(asksForGroups(), refusal("NotSupportedHere", message), conditioned("OrchestratorSelected", isFalse, "OrchestratorGone", message),
			unserved(notServed+"; "+unreadyToo))
	}

	compare(t, map[string]responseCase{
		"Observed": {
			reason: "The PodCliqueSet is still observed.",
			req:    plantest.Request(xr, plantest.WithGroups("lws", "volcano"), plantest.WithObserved("podcliqueset", plantest.FrontendSet())),
			want:   gone("PodCliqueSet llama: Grove has not observed it yet"),
		},
		"References": {
			reason: "Only the reference to the PodCliqueSet is left, and the status confirms it.",
			req:    plantest.Request(deployed, plantest.WithReferences(plantest.ReferenceToSet()), plantest.WithGroups("lws", "volcano")),
			want:   gone("PodCliqueSet llama: does not exist"),
		},
		"LegacyReferences": {
			reason: "Only the reference of a legacy composite resource is left.",
			req:    plantest.Request(deployed, plantest.OfClaim, plantest.WithLegacyReferences(plantest.ReferenceToSet()), plantest.WithGroups("lws", "volcano")),
			want:   gone("PodCliqueSet llama: does not exist"),
		},
		"Status": {
			reason: "Crossplane has dropped the reference, and the status remembers; the other conditions are repeated.",
			req: plantest.Request(plantest.Graph(plantest.Frontend, plantest.RunningOn("Grove",
				metav1.Condition{Type: "Accepted", Status: metav1.ConditionTrue, Reason: "Valid"},
				metav1.Condition{Type: "QueueAvailable", Status: metav1.ConditionTrue, Reason: "QueueFound", Message: "m"},
			)), plantest.WithGroups("lws", "volcano"), plantest.WithLost(nil)),
			want: want(asksForGroups(), asksForLost("LeaderWorkerSet", "PodGroup"), refusal("NotSupportedHere", message),
				conditioned("OrchestratorSelected", isFalse, "OrchestratorGone", message),
				unserved(notServed), conditioned("QueueAvailable", isTrue, "QueueFound", "m")),
		},
		"Unknown": {
			reason: "An API group that has not been looked up yet is not taken to be gone.",
			req:    plantest.Request(xr, plantest.WithObserved("podcliqueset", plantest.FrontendSet())),
			want:   want(asksForGroups()),
		},
	})
}

// TestEnableGroveFlipped shows that a graph is not moved by its annotation.
func TestEnableGroveFlipped(t *testing.T) {
	const message = `annotation nvidia.com/enable-grove: "false" requests an orchestrator other than Grove, which runs the graph; ` +
		"undo the change or remove the annotation, or delete and recreate the graph"
	xr := plantest.Graph(plantest.Frontend, plantest.Annotated("nvidia.com/enable-grove", "false"))
	compare(t, map[string]responseCase{
		"Live": {
			reason: "A user's change of an immutable choice is refused with the remedy.",
			req:    plantest.Request(xr, plantest.WithGroups("grove"), plantest.WithObserved("podcliqueset", plantest.FrontendSet())),
			want: want(asksForGroups(), asksForChildren("frontend"), refusal("NotSupportedHere", message),
				conditioned("OrchestratorSelected", isFalse, "OrchestratorCannotChange", message),
				unready("PodCliqueSet llama: Grove has not observed it yet")),
		},
		"New": {
			reason: "On a new graph, annotation nvidia.com/enable-grove chooses the orchestrator.",
			req:    plantest.Request(xr, plantest.WithGroups("grove", "kai")),
			want: want(asksForGroups(), accepted(),
				conditioned("OrchestratorSelected", isTrue, "Selected", "Deployment runs the graph: annotation nvidia.com/enable-grove is false, and no service spans several nodes"),
				noQueue(),
				planOf(steptest.PlanOnDeployments(plainServices("Frontend")))),
		},
	})
}
