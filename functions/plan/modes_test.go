package plan_test

import (
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step/steptest"
)

// TestModesAreSticky shows that a graph goes on using what the platform takes away from new graphs, as long as the cluster
// has it.
func TestModesAreSticky(t *testing.T) {
	xr := plantest.Graph(plantest.Frontend)
	keeps := func(setting, mode, what string) string {
		return setting + " is " + mode + " in the input of step plan, which does not affect running graphs: this graph keeps " + what + "; to change it, delete and recreate the graph"
	}
	grove, kai, volcano, lws := keeps("grove.mode", "Disabled", "Grove"), keeps("kai.mode", "Disabled", "kai-scheduler"), keeps("volcano.mode", "Disabled", "volcano"), keeps("lws.mode", "Disabled", "LeaderWorkerSet")
	without, insteadOfKAI := keeps("kai.mode", "Enabled", "the scheduler that its pods have"), keeps("volcano.mode", "Enabled", "kai-scheduler")
	compare(t, map[string]responseCase{
		"Grove": {
			reason: "Grove goes on running the graph.",
			req:    plantest.Request(xr, plantest.WithGroups("grove", "kai"), plantest.WithInput(inputv1alpha1.Policy{Grove: inputv1alpha1.Grove{Mode: inputv1alpha1.ModeDisabled}}), plantest.WithObserved("podcliqueset", observedOnKAI())),
			want:   want(asksForGroups(), asksForChildren("frontend"), acceptedWith(grove), onGrove(), queueFound(), groveOnKAI("dynamo"), warningResult(grove)),
		},
		"KAI": {
			reason: "KAI goes on scheduling the graph.",
			req:    plantest.Request(xr, plantest.WithGroups("grove", "kai"), plantest.WithInput(inputv1alpha1.Policy{KAI: inputv1alpha1.KAI{Mode: inputv1alpha1.ModeDisabled}}), plantest.WithObserved("podcliqueset", observedOnKAI())),
			want:   want(asksForGroups(), asksForChildren("frontend"), acceptedWith(kai), onGrove(), queueFound(), groveOnKAI("dynamo"), warningResult(kai)),
		},
		"KAITurnedOn": {
			reason: "Grove refuses to change the scheduler of a clique.",
			req:    plantest.Request(xr, plantest.WithGroups("grove"), withoutAPI("kai"), plantest.WithInput(inputv1alpha1.Policy{KAI: inputv1alpha1.KAI{Mode: inputv1alpha1.ModeEnabled}}), plantest.WithObserved("podcliqueset", plantest.FrontendSet())),
			want:   want(asksForGroups(), notAskedFor("kai"), asksForChildren("frontend"), acceptedWith(without), onGrove(), noQueue(), groveWithoutKAI(), warningResult(without)),
		},
		"LWSOnVolcano": {
			reason: "LeaderWorkerSet and Volcano go on running the graph.",
			req: plantest.Request(plantest.Graph(plantest.Multinode), plantest.WithGroups("lws", "volcano"), plantest.WithInput(inputv1alpha1.Policy{LWS: inputv1alpha1.LWS{Mode: inputv1alpha1.ModeDisabled}, Volcano: inputv1alpha1.Volcano{Mode: inputv1alpha1.ModeDisabled}}),
				plantest.WithObserved("leaderworkerset-worker-0", plantest.SetOfVolcano()), plantest.WithVolcanoQueue("Open")),
			want: want(asksForGroups(), asksForVolcanoQueue("default"), acceptedWith(lws+"\n"+volcano), onLWS(), volcanoQueueFound("default"), gangPlan(byPodGroup()),
				warningResult(lws+"\n"+volcano)),
		},
		"VolcanoTurnedOn": {
			reason: "A graph on KAI stays on KAI when the mode of Volcano becomes Enabled.",
			req: plantest.Request(plantest.Graph(plantest.Multinode), plantest.WithGroups("lws", "kai"), withoutAPI("volcano"), plantest.WithInput(inputv1alpha1.Policy{Volcano: inputv1alpha1.Volcano{Mode: inputv1alpha1.ModeEnabled}}),
				plantest.WithObserved("leaderworkerset-worker-0", plantest.SetOfKAI()), plantest.WithKAIQueue()),
			want: want(asksForGroups(), notAskedFor("volcano"), asksForQueue("dynamo"), acceptedWith(insteadOfKAI), onLWS(), queueFound(), gangPlan(steptest.ByKAI()),
				warningResult(insteadOfKAI)),
		},
	})
}

// withoutAPI delivers nothing of a group that is not looked up.
func withoutAPI(group string) plantest.RequestOption {
	return func(req *fnv1.RunFunctionRequest) { delete(req.GetRequiredResources(), "apiservice-"+group) }
}

func notAskedFor(group string) responseOption {
	return func(rsp *fnv1.RunFunctionResponse) { delete(requirements(rsp), "apiservice-"+group) }
}
