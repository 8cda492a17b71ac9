package memory_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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

func compare(t *testing.T, cases map[string]whole.Row[selection]) {
	t.Helper()
	whole.Table(t, cases, func(of *whole.Outcome) selection {
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

	compare(t, map[string]whole.Row[selection]{
		"Observed": {
			Reason:  "The PodCliqueSet is still observed.",
			Request: plantest.Request(xr, plantest.WithGroups("lws", "volcano"), plantest.WithObserved("podcliqueset", plantest.FrontendSet())),
			Want:    selection{Said: gone(), Selected: condition.ReasonOrchestratorGone},
		},
		"References": {
			Reason:  "Only the reference to the PodCliqueSet is left, and the status confirms it.",
			Request: plantest.Request(deployed, plantest.WithReferences(plantest.ReferenceToSet()), plantest.WithGroups("lws", "volcano")),
			Want:    selection{Said: gone(), Selected: condition.ReasonOrchestratorGone},
		},
		"LegacyReferences": {
			Reason:  "Only the reference of a legacy composite resource is left.",
			Request: plantest.Request(deployed, plantest.OfClaim, plantest.WithLegacyReferences(plantest.ReferenceToSet()), plantest.WithGroups("lws", "volcano")),
			Want:    selection{Said: gone(), Selected: condition.ReasonOrchestratorGone},
		},
		"Status": {
			Reason: "Crossplane has dropped the reference, and the status remembers; the other conditions are repeated.",
			Request: plantest.Request(plantest.Graph(plantest.Frontend, plantest.RunningOn("Grove",
				metav1.Condition{Type: "Accepted", Status: metav1.ConditionTrue, Reason: "Valid"},
				metav1.Condition{Type: "QueueAvailable", Status: metav1.ConditionTrue, Reason: "QueueFound", Message: "m"},
			)), plantest.WithGroups("lws", "volcano"), plantest.WithLost(nil)),
			Want: selection{Said: gone(), Selected: condition.ReasonOrchestratorGone},
		},
		"Unknown": {
			Reason:  "An API group that has not been looked up yet is not taken to be gone.",
			Request: plantest.Request(xr, plantest.WithObserved("podcliqueset", plantest.FrontendSet())),
			Want:    selection{},
		},
	})
}

// TestEnableGroveFlipped shows that a graph is not moved by its annotation.
func TestEnableGroveFlipped(t *testing.T) {
	xr := plantest.Graph(plantest.Frontend, plantest.Annotated("nvidia.com/enable-grove", "false"))
	compare(t, map[string]whole.Row[selection]{
		"Live": {
			Reason:  "A user's change of an immutable choice is refused with the remedy.",
			Request: plantest.Request(xr, plantest.WithGroups("grove"), plantest.WithObserved("podcliqueset", plantest.FrontendSet())),
			Want:    selection{Said: gone(), Selected: condition.ReasonOrchestratorFixed},
		},
		"New": {
			Reason:  "On a new graph, annotation nvidia.com/enable-grove chooses the orchestrator.",
			Request: plantest.Request(xr, plantest.WithGroups("grove", "kai")),
			Want:    selection{Selected: condition.ReasonSelected, Orchestrator: graphplan.Deployment},
		},
	})
}
