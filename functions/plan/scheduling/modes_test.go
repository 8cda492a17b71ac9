package scheduling_test

import (
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
)

// TestModesAreSticky shows that a graph goes on using what the platform takes away from new graphs, as long as the cluster
// has it.
func TestModesAreSticky(t *testing.T) {
	xr := plantest.Graph(plantest.Frontend)
	compare(t, map[string]schedulingCase{
		"Grove": {
			reason: "Grove goes on running the graph.",
			req:    plantest.Request(xr, plantest.WithGroups("grove", "kai"), plantest.WithInput(inputv1alpha1.Policy{Grove: inputv1alpha1.Grove{Mode: inputv1alpha1.ModeDisabled}}), plantest.WithObserved("podcliqueset", observedOnKAI())),
			want:   scheduled{Said: plantest.Warned(rule.Scheduling, ""), Queue: condition.ReasonQueueFound, By: onGrove("kai-scheduler", "dynamo")},
		},
		"KAI": {
			reason: "KAI goes on scheduling the graph.",
			req:    plantest.Request(xr, plantest.WithGroups("grove", "kai"), plantest.WithInput(inputv1alpha1.Policy{KAI: inputv1alpha1.KAI{Mode: inputv1alpha1.ModeDisabled}}), plantest.WithObserved("podcliqueset", observedOnKAI())),
			want:   scheduled{Said: plantest.Warned(rule.Scheduling, ""), Queue: condition.ReasonQueueFound, By: onGrove("kai-scheduler", "dynamo")},
		},
		"KAITurnedOn": {
			reason: "Grove refuses to change the scheduler of a clique.",
			req:    plantest.Request(xr, plantest.WithGroups("grove"), withoutAPI("kai"), plantest.WithInput(inputv1alpha1.Policy{KAI: inputv1alpha1.KAI{Mode: inputv1alpha1.ModeEnabled}}), plantest.WithObserved("podcliqueset", plantest.FrontendSet())),
			want:   scheduled{Said: plantest.Warned(rule.Scheduling, ""), Queue: condition.ReasonQueueNotNeeded},
		},
		"LWSOnVolcano": {
			reason: "LeaderWorkerSet and Volcano go on running the graph.",
			req: plantest.Request(plantest.Graph(plantest.Multinode), plantest.WithGroups("lws", "volcano"), plantest.WithInput(inputv1alpha1.Policy{LWS: inputv1alpha1.LWS{Mode: inputv1alpha1.ModeDisabled}, Volcano: inputv1alpha1.Volcano{Mode: inputv1alpha1.ModeDisabled}}),
				plantest.WithObserved("leaderworkerset-worker-0", plantest.SetOfVolcano()), plantest.WithVolcanoQueue("Open")),
			want: scheduled{Asked: []string{"volcano-queue default"}, Said: plantest.Warned(rule.Scheduling, ""), Queue: condition.ReasonQueueFound, By: in("default", steptest.ByPodGroup())},
		},
		"VolcanoTurnedOn": {
			reason: "A graph on KAI stays on KAI when the mode of Volcano becomes Enabled.",
			req: plantest.Request(plantest.Graph(plantest.Multinode), plantest.WithGroups("lws", "kai"), withoutAPI("volcano"), plantest.WithInput(inputv1alpha1.Policy{Volcano: inputv1alpha1.Volcano{Mode: inputv1alpha1.ModeEnabled}}),
				plantest.WithObserved("leaderworkerset-worker-0", plantest.SetOfKAI()), plantest.WithKAIQueue()),
			want: scheduled{Asked: []string{"kai-queue dynamo"}, Said: plantest.Warned(rule.Scheduling, ""), Queue: condition.ReasonQueueFound, By: steptest.ByKAI()},
		},
	})
}

// withoutAPI delivers nothing of a group that is not looked up.
func withoutAPI(group string) plantest.RequestOption {
	return func(req *fnv1.RunFunctionRequest) { delete(req.GetRequiredResources(), "apiservice-"+group) }
}
