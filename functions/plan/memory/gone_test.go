package memory_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest/whole"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
)

// selection of an orchestrator, and what the user of the graph is told.
type selection struct {
	Said []plantest.Said
	// Selected is the reason of condition OrchestratorSelected.
	Selected     string
	Orchestrator graphplan.Orchestrator
}

type goneCase struct {
	reason string
	req    *fnv1.RunFunctionRequest
	want   selection
}

func compare(t *testing.T, cases map[string]goneCase) {
	t.Helper()
	whole.Table(t, cases, func(tc goneCase) whole.Row[selection] {
		return whole.Row[selection]{Reason: tc.reason, Request: tc.req, Want: tc.want}
	}, func(of *whole.Outcome) selection {
		out := selection{Said: of.Said, Selected: of.Condition(condition.TypeOrchestratorSelected).GetReason()}
		if of.Plan != nil {
			out.Orchestrator = of.Plan.Orchestrator
		}
		return out
	})
}

// gone is an orchestrator whose API is not served, or that a graph cannot leave.
func gone() []plantest.Said {
	return plantest.Refused(subject.NotSupported, rule.NotSupportedHere, "")
}

// TestGroveGone shows that a graph on Grove is never started a second time while Grove's API is gone.
func TestGroveGone(t *testing.T) {
	xr, deployed := plantest.Graph(plantest.Frontend), plantest.Graph(plantest.Frontend, plantest.RunningOn("Grove"))

	compare(t, map[string]goneCase{
		"Observed": {
			reason: "The PodCliqueSet is still observed.",
			req:    plantest.Request(xr, plantest.WithGroups("lws", "volcano"), plantest.WithObserved("podcliqueset", plantest.FrontendSet())),
			want:   selection{Said: gone(), Selected: condition.ReasonOrchestratorGone},
		},
		"References": {
			reason: "Only the reference to the PodCliqueSet is left, and the status confirms it.",
			req:    plantest.Request(deployed, plantest.WithReferences(plantest.ReferenceToSet()), plantest.WithGroups("lws", "volcano")),
			want:   selection{Said: gone(), Selected: condition.ReasonOrchestratorGone},
		},
		"LegacyReferences": {
			reason: "Only the reference of a legacy composite resource is left.",
			req:    plantest.Request(deployed, plantest.OfClaim, plantest.WithLegacyReferences(plantest.ReferenceToSet()), plantest.WithGroups("lws", "volcano")),
			want:   selection{Said: gone(), Selected: condition.ReasonOrchestratorGone},
		},
		"Status": {
			reason: "Crossplane has dropped the reference, and the status remembers; the other conditions are repeated.",
			req: plantest.Request(plantest.Graph(plantest.Frontend, plantest.RunningOn("Grove",
				metav1.Condition{Type: "Accepted", Status: metav1.ConditionTrue, Reason: "Valid"},
				metav1.Condition{Type: "QueueAvailable", Status: metav1.ConditionTrue, Reason: "QueueFound", Message: "m"},
			)), plantest.WithGroups("lws", "volcano"), plantest.WithLost(nil)),
			want: selection{Said: gone(), Selected: condition.ReasonOrchestratorGone},
		},
		"Unknown": {
			reason: "An API group that has not been looked up yet is not taken to be gone.",
			req:    plantest.Request(xr, plantest.WithObserved("podcliqueset", plantest.FrontendSet())),
			want:   selection{},
		},
	})
}

// TestEnableGroveFlipped shows that a graph is not moved by its annotation.
func TestEnableGroveFlipped(t *testing.T) {
	xr := plantest.Graph(plantest.Frontend, plantest.Annotated("nvidia.com/enable-grove", "false"))
	compare(t, map[string]goneCase{
		"Live": {
			reason: "A user's change of an immutable choice is refused with the remedy.",
			req:    plantest.Request(xr, plantest.WithGroups("grove"), plantest.WithObserved("podcliqueset", plantest.FrontendSet())),
			want:   selection{Said: gone(), Selected: condition.ReasonOrchestratorFixed},
		},
		"New": {
			reason: "On a new graph, annotation nvidia.com/enable-grove chooses the orchestrator.",
			req:    plantest.Request(xr, plantest.WithGroups("grove", "kai")),
			want:   selection{Selected: condition.ReasonSelected, Orchestrator: graphplan.Deployment},
		},
	})
}
