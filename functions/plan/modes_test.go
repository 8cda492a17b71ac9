package plan

import (
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
)

// TestModesAreSticky shows that a graph goes on using what the platform takes away from new graphs, as long as the cluster
// has it.
func TestModesAreSticky(t *testing.T) {
	xr := plantest.GraphOf(plantest.SpecOf(plantest.Frontend))
	keeps := func(setting, mode, what string) string {
		return setting + " is " + mode + " in the input of step plan, which does not affect running graphs: this graph keeps " + what + "; to change it, delete and recreate the graph"
	}
	grove, kai, volcano, lws := keeps("grove.mode", "Disabled", "Grove"), keeps("kai.mode", "Disabled", "kai-scheduler"), keeps("volcano.mode", "Disabled", "volcano"), keeps("lws.mode", "Disabled", "LeaderWorkerSet")
	without, insteadOfKAI := keeps("kai.mode", "Enabled", "the scheduler that its pods have"), keeps("volcano.mode", "Enabled", "kai-scheduler")
	compare(t, map[string]responseCase{
		"Grove": {
			reason: "Grove goes on running the graph.",
			req:    plantest.Request(xr, plantest.WithGroups("grove", "kai"), withInput(`"grove":{"mode":"Disabled"}`), plantest.WithObserved("podcliqueset", observedOnKAI)),
			want:   want(asksForGroups(), asksForChildren("frontend"), acceptedWith(grove), onGrove(), queueFound(), planOf(groveOnKAI), warningResult(grove)),
		},
		"KAI": {
			reason: "KAI goes on scheduling the graph.",
			req:    plantest.Request(xr, plantest.WithGroups("grove", "kai"), withInput(`"kai":{"mode":"Disabled"}`), plantest.WithObserved("podcliqueset", observedOnKAI)),
			want:   want(asksForGroups(), asksForChildren("frontend"), acceptedWith(kai), onGrove(), queueFound(), planOf(groveOnKAI), warningResult(kai)),
		},
		"KAITurnedOn": {
			reason: "Grove refuses to change the scheduler of a clique.",
			req:    plantest.Request(xr, plantest.WithGroups("grove"), withoutAPI("kai"), withInput(`"kai":{"mode":"Enabled"}`), plantest.WithObserved("podcliqueset", plantest.PodCliqueSet)),
			want:   want(asksForGroups(), notAskedFor("kai"), asksForChildren("frontend"), acceptedWith(without), onGrove(), noQueue(), planOf(groveWithoutKAI), warningResult(without)),
		},
		"LWSOnVolcano": {
			reason: "LeaderWorkerSet and Volcano go on running the graph.",
			req: plantest.Request(plantest.GraphOf(plantest.SpecOf(plantest.Multinode)), plantest.WithGroups("lws", "volcano"), withInput(`"lws":{"mode":"Disabled"},"volcano":{"mode":"Disabled"}`),
				plantest.WithObserved("leaderworkerset-worker-0", setOfVolcano), withVolcanoQueue("Open")),
			want: want(asksForGroups(), asksForVolcanoQueue("default"), acceptedWith(lws+"; "+volcano), onLWS(), volcanoQueueFound("default"), gangPlan(byPodGroup),
				warningResult(lws+"; "+volcano)),
		},
		"VolcanoTurnedOn": {
			reason: "A graph on KAI stays on KAI when the mode of Volcano becomes Enabled.",
			req: plantest.Request(plantest.GraphOf(plantest.SpecOf(plantest.Multinode)), plantest.WithGroups("lws", "kai"), withoutAPI("volcano"), withInput(`"volcano":{"mode":"Enabled"}`),
				plantest.WithObserved("leaderworkerset-worker-0", setOfKAI), withQueue()),
			want: want(asksForGroups(), notAskedFor("volcano"), asksForQueue("dynamo"), acceptedWith(insteadOfKAI), onLWS(), queueFound(), gangPlan(byKAI),
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
