package scheduling_test

import (
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest/whole"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
)

// TestModesAreSticky shows that a graph goes on using what the platform takes away from new graphs, as long as the cluster
// has it.
func TestModesAreSticky(t *testing.T) {
	xr := plantest.Graph(plantest.Frontend)
	compare(t, map[string]whole.Row[scheduled]{
		"Grove": {
			Reason:  "Grove goes on running the graph.",
			Request: plantest.Request(xr, plantest.WithGroups("grove", "kai"), plantest.WithInput(inputv1alpha1.Policy{Grove: inputv1alpha1.Grove{Mode: inputv1alpha1.ModeDisabled}}), plantest.WithObserved("podcliqueset", observedOnKAI())),
			Want:    scheduled{Said: plantest.Warned(rule.Scheduling, ""), Queue: condition.ReasonQueueFound, By: onGrove("kai-scheduler", "dynamo")},
		},
		"KAI": {
			Reason:  "KAI goes on scheduling the graph.",
			Request: plantest.Request(xr, plantest.WithGroups("grove", "kai"), plantest.WithInput(inputv1alpha1.Policy{KAI: inputv1alpha1.KAI{Mode: inputv1alpha1.ModeDisabled}}), plantest.WithObserved("podcliqueset", observedOnKAI())),
			Want:    scheduled{Said: plantest.Warned(rule.Scheduling, ""), Queue: condition.ReasonQueueFound, By: onGrove("kai-scheduler", "dynamo")},
		},
		"KAITurnedOn": {
			Reason:  "Grove refuses to change the scheduler of a clique.",
			Request: plantest.Request(xr, plantest.WithGroups("grove"), withoutAPI("kai"), plantest.WithInput(inputv1alpha1.Policy{KAI: inputv1alpha1.KAI{Mode: inputv1alpha1.ModeEnabled}}), plantest.WithObserved("podcliqueset", plantest.FrontendSet())),
			Want:    scheduled{Said: plantest.Warned(rule.Scheduling, ""), Queue: condition.ReasonQueueNotNeeded},
		},
		"LWSOnVolcano": {
			Reason: "LeaderWorkerSet and Volcano go on running the graph.",
			Request: plantest.Request(plantest.Graph(plantest.Multinode), plantest.WithGroups("lws", "volcano"), plantest.WithInput(inputv1alpha1.Policy{LWS: inputv1alpha1.LWS{Mode: inputv1alpha1.ModeDisabled}, Volcano: inputv1alpha1.Volcano{Mode: inputv1alpha1.ModeDisabled}}),
				plantest.WithObserved("leaderworkerset-worker-0", plantest.SetOfVolcano()), plantest.WithVolcanoQueue("Open")),
			Want: scheduled{Asked: []string{"volcano-queue default"}, Said: plantest.Warned(rule.Scheduling, ""), Queue: condition.ReasonQueueFound, By: in("default", steptest.ByPodGroup())},
		},
		"VolcanoTurnedOn": {
			Reason: "A graph on KAI stays on KAI when the mode of Volcano becomes Enabled.",
			Request: plantest.Request(plantest.Graph(plantest.Multinode), plantest.WithGroups("lws", "kai"), withoutAPI("volcano"), plantest.WithInput(inputv1alpha1.Policy{Volcano: inputv1alpha1.Volcano{Mode: inputv1alpha1.ModeEnabled}}),
				plantest.WithObserved("leaderworkerset-worker-0", plantest.SetOfKAI()), plantest.WithKAIQueue()),
			Want: scheduled{Asked: []string{"kai-queue dynamo"}, Said: plantest.Warned(rule.Scheduling, ""), Queue: condition.ReasonQueueFound, By: steptest.ByKAI()},
		},
	})
}

// withoutAPI delivers nothing of a group that is not looked up.
func withoutAPI(group string) plantest.RequestOption {
	return func(req *fnv1.RunFunctionRequest) { delete(req.GetRequiredResources(), "apiservice-"+group) }
}
