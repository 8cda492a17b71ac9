package plan_test

import (
	"testing"

	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"
	volcanov1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step/steptest"
)

// setOfOperator has a PodGroup of the LWS operator.
func setOfOperator() *lwsv1.LeaderWorkerSet {
	return plantest.SetOn(graphplan.VolcanoScheduler, "llama-worker-0", plantest.AnnotatedSet(map[string]string{"scheduling.volcano.sh/queue-name": "default"}))
}

// setOfUser has a scheduler that the user has named.
func setOfUser() *lwsv1.LeaderWorkerSet {
	return plantest.SetOn(graphplan.KAIScheduler, "llama-worker-0")
}

func inKAIQueue(queue string) plantest.SetChange {
	return func(set *lwsv1.LeaderWorkerSet) {
		set.Spec.LeaderWorkerTemplate.WorkerTemplate.Labels = map[string]string{"kai.scheduler/queue": queue}
	}
}

// in a queue.
func in(queue string, gang graphplan.Gang) graphplan.Gang {
	gang.Queue = queue
	return gang
}

// Gangs in the default queues.
func byPodGroup() graphplan.Gang { return in("default", steptest.ByPodGroup()) }

func byOperator() graphplan.Gang { return in("default", steptest.ByOperator()) }

// gangPlan is the plan of plantest.Multinode.
func gangPlan(gang graphplan.Gang) responseOption {
	return planOf(steptest.PlanOnLeaderWorkerSets(gang, vllmServices(), withGPUTotal(32)))
}

func onLWS() responseOption {
	return conditioned("OrchestratorSelected", isTrue, "Selected",
		"LeaderWorkerSet runs the graph: Grove is not installed, and LeaderWorkerSet and a gang scheduler are installed")
}

func asksForVolcanoQueue(name string) responseOption {
	return asksFor("volcano-queue", "scheduling.volcano.sh/v1beta1", "Queue", name)
}

func volcanoQueue(reason, message string) responseOption {
	status := isFalse
	if reason == "QueueFound" {
		status = isTrue
	}
	return conditioned("QueueAvailable", status, reason, message)
}

func volcanoQueueFound(name string) responseOption {
	return volcanoQueue("QueueFound", "Volcano Queue "+name+" existed when pods were added to it")
}

// TestGang shows who schedules the pods of new LeaderWorkerSets, and in which queue.
func TestGang(t *testing.T) {
	xr := plantest.Graph(plantest.Multinode)
	compare(t, map[string]responseCase{
		"Volcano": {
			reason: "Volcano is preferred to KAI, and its default queue is used.",
			req:    plantest.Request(xr, plantest.WithGroups("lws", "volcano", "kai"), plantest.WithVolcanoQueue("Open")),
			want:   want(asksForGroups(), asksForVolcanoQueue("default"), accepted(), onLWS(), volcanoQueueFound("default"), gangPlan(byPodGroup())),
		},
		"VolcanoOfTheOperator": {
			reason: "Where the LWS operator makes the gangs the platform says so, and the graph names its queue.",
			req: plantest.Request(plantest.Graph(plantest.Multinode, plantest.Annotated("scheduling.volcano.sh/queue-name", "team-a")), plantest.WithGroups("lws", "volcano"),
				plantest.WithInput(inputv1alpha1.Policy{LWS: inputv1alpha1.LWS{GangProvider: inputv1alpha1.GangProviderLWS}, Volcano: inputv1alpha1.Volcano{Queue: "shared"}}), plantest.WithVolcanoQueue("Open")),
			want: want(asksForGroups(), asksForVolcanoQueue("team-a"), accepted(), onLWS(), volcanoQueueFound("team-a"),
				gangPlan(steptest.ByOperator())),
		},
		"PlatformsQueue": {
			reason: "Without the annotation, gangs use the queue that the platform names.",
			req:    plantest.Request(xr, plantest.WithGroups("lws", "volcano"), plantest.WithInput(inputv1alpha1.Policy{Volcano: inputv1alpha1.Volcano{Queue: "shared"}}), plantest.WithVolcanoQueue("Open")),
			want: want(asksForGroups(), asksForVolcanoQueue("shared"), accepted(), onLWS(), volcanoQueueFound("shared"),
				gangPlan(in("shared", steptest.ByPodGroup()))),
		},
		"KAI": {
			reason: "Without Volcano, KAI schedules the gangs, and its queue must exist.",
			req:    plantest.Request(xr, plantest.WithGroups("lws", "kai"), plantest.WithKAIQueue()),
			want:   want(asksForGroups(), asksForQueue("dynamo"), accepted(), onLWS(), queueFound(), gangPlan(steptest.ByKAI())),
		},
		"QueueNotLookedUp": {
			reason: "A queue that has not been looked up yet is not taken to be missing.",
			req:    plantest.Request(xr, plantest.WithGroups("lws", "volcano")),
			want:   want(asksForGroups(), asksForVolcanoQueue("default")),
		},
		"QueueMissing": {
			reason: "Volcano's webhook would refuse every PodGroup in a queue that does not exist.",
			req:    plantest.Request(xr, plantest.WithGroups("lws", "volcano"), plantest.WithoutObject("volcano-queue")),
			want: want(asksForGroups(), asksForVolcanoQueue("default"), refusal("NotSupportedHere",
				`input.volcano.queue: Invalid value: "default": this Volcano Queue does not exist; let the platform create it, or set volcano.queue to another one in the input of step plan; a graph can specify its own in annotation scheduling.volcano.sh/queue-name`)),
		},
		"QueueClosed": {
			reason: "Volcano's webhook would refuse every PodGroup in a queue that is not open.",
			req:    plantest.Request(xr, plantest.WithGroups("lws", "volcano"), plantest.WithVolcanoQueue("Closing")),
			want: want(asksForGroups(), asksForVolcanoQueue("default"), refusal("NotSupportedHere",
				`input.volcano.queue: Invalid value: "default": this Volcano Queue is not open; let the platform open it, or set volcano.queue to another one in the input of step plan; a graph can specify its own in annotation scheduling.volcano.sh/queue-name`)),
		},
		"NamedQueueClosed": {
			reason: "A closed queue that the graph names is the user's mistake, not the platform's.",
			req:    plantest.Request(plantest.Graph(plantest.Multinode, plantest.Annotated("scheduling.volcano.sh/queue-name", "team-a")), plantest.WithGroups("lws", "volcano"), plantest.WithVolcanoQueue("Closed")),
			want: want(asksForGroups(), asksForVolcanoQueue("team-a"), refusal("Invalid",
				`metadata.annotations[scheduling.volcano.sh/queue-name]: Invalid value: "team-a": this Volcano Queue is not open; open it, specify another one, or remove the annotation to use the platform's default, which is default`)),
		},
	})
}

// TestGangIsSticky shows that the gangs that exist keep their scheduler: with another one all pods would be replaced.
func TestGangIsSticky(t *testing.T) {
	xr := plantest.Graph(plantest.Multinode)
	const gone = "the graph runs on LeaderWorkerSet, but API group scheduling.volcano.sh is no longer served by the cluster; " +
		"nothing is changed until it is served again; to move the graph to another orchestrator, delete and recreate it"
	volcanoGone := func(unreadyToo string) *fnv1.RunFunctionResponse {
		return want(asksForGroups(), refusal("NotSupportedHere", gone), conditioned("OrchestratorSelected", isFalse, "OrchestratorGone", gone),
			unserved("API group scheduling.volcano.sh: is not served by the cluster; "+unreadyToo))
	}
	live := func(set *lwsv1.LeaderWorkerSet, more ...plantest.RequestOption) *fnv1.RunFunctionRequest {
		return plantest.Request(xr, append(more, plantest.WithObserved("leaderworkerset-worker-0", set))...)
	}
	compare(t, map[string]responseCase{
		"VolcanoCameLater": {
			reason: "A graph on KAI stays on KAI when Volcano is installed.",
			req:    live(plantest.SetOfKAI(), plantest.WithGroups("lws", "volcano", "kai"), plantest.WithKAIQueue()),
			want:   want(asksForGroups(), asksForQueue("dynamo"), accepted(), onLWS(), queueFound(), gangPlan(steptest.ByKAI())),
		},
		"KAIIsGone": {
			reason: "A graph on KAI stays on KAI when KAI is removed, and its queue must not be asked for, because the kind is not served.",
			req:    live(plantest.SetOfKAI(), plantest.WithGroups("lws", "volcano")),
			want: want(soon(), asksForGroups(), accepted(), onLWS(),
				conditioned("QueueAvailable", isFalse, "QueueNotFound",
					"KAI Queue dynamo cannot be looked up, because API group scheduling.run.ai is no longer served by the cluster; pods that are not scheduled yet are waiting for it"),
				gangPlan(steptest.ByKAI())),
		},
		"VolcanoIsGone": {
			reason: "A graph on Volcano does not move to KAI when Volcano is removed.",
			req:    live(plantest.SetOfVolcano(), plantest.WithGroups("lws", "kai")),
			want:   volcanoGone("LeaderWorkerSet llama-worker-0: 0 of 1 groups have pods"),
		},
		"VolcanoIsGoneUnderTheOperator": {
			reason: "A graph whose gangs the LWS operator makes does not move to KAI when Volcano is removed.",
			req:    live(setOfOperator(), plantest.WithGroups("lws", "kai"), plantest.WithInput(inputv1alpha1.Policy{LWS: inputv1alpha1.LWS{GangProvider: inputv1alpha1.GangProviderLWS}})),
			want:   volcanoGone("LeaderWorkerSet llama-worker-0: 0 of 1 groups have pods"),
		},
		"OnlyPodGroupObserved": {
			reason: "An observed PodGroup shows that the graph is on Volcano.",
			req: plantest.Request(plantest.Graph(plantest.Frontend, plantest.Multinode), plantest.WithGroups("lws", "kai"), plantest.WithObserved("podgroup-worker-0", plantest.PodGroup(volcanov1beta1.PodGroupSpec{})),
				plantest.WithObserved("deployment-frontend", plantest.FrontendDeployment())),
			want: volcanoGone("Deployment llama-frontend: 0 of 1 replicas are updated"),
		},
		"OnlyPodGroupReferenced": {
			reason: "A reference to a PodGroup shows that the graph is on Volcano.",
			req: plantest.Request(xr, plantest.WithReferences(plantest.ReferenceTo("scheduling.volcano.sh/v1beta1", "PodGroup", "llama-worker-0")),
				plantest.WithGroups("lws", "kai"), plantest.WithObserved("leaderworkerset-worker-0", setOfUser())),
			want: volcanoGone("LeaderWorkerSet llama-worker-0: 0 of 1 groups have pods; PodGroup llama-worker-0: does not exist"),
		},
		"UsersOwnScheduler": {
			reason: "A scheduler that the user named is no decision of ours.",
			req:    live(setOfUser(), plantest.WithGroups("lws", "volcano", "kai"), plantest.WithVolcanoQueue("Open")),
			want:   want(asksForGroups(), asksForVolcanoQueue("default"), accepted(), onLWS(), volcanoQueueFound("default"), gangPlan(byPodGroup())),
		},
		"QueueMissingLater": {
			reason: "A graph whose queue is missing keeps running; a condition says so, and Crossplane looks again soon.",
			req:    live(plantest.SetOfVolcano(), plantest.WithGroups("lws", "volcano"), plantest.WithoutObject("volcano-queue")),
			want: want(soon(), asksForGroups(), asksForVolcanoQueue("default"), accepted(), onLWS(),
				volcanoQueue("QueueNotFound", "Volcano Queue default does not exist; pods that are not scheduled yet are waiting for it"), gangPlan(byPodGroup())),
		},
		"QueueClosedLater": {
			reason: "A graph whose queue was closed keeps running; a condition says so, and Crossplane looks again soon.",
			req:    live(plantest.SetOfVolcano(), plantest.WithGroups("lws", "volcano"), plantest.WithVolcanoQueue("Closed")),
			want: want(soon(), asksForGroups(), asksForVolcanoQueue("default"), accepted(), onLWS(),
				volcanoQueue("QueueClosed", "Volcano Queue default is not open; pods that are not scheduled yet are waiting for it"), gangPlan(byPodGroup())),
		},
	})
}

// TestGangsKeepWhatTheyHave shows that gangs keep who makes them, and their queue.
func TestGangsKeepWhatTheyHave(t *testing.T) {
	const (
		keepsProvider = "lws.gangProvider is LWS in the input of step plan, which does not affect running graphs: this graph keeps PodGroup; to change it, delete and recreate the graph"
		keepsOperator = "lws.gangProvider is PodGroup in the input of step plan, which does not affect running graphs: this graph keeps LWS; to change it, delete and recreate the graph"
		keepsQueue    = "volcano.queue is shared in the input of step plan, which does not affect running graphs: this graph keeps default; to change it, set annotation scheduling.volcano.sh/queue-name to shared"
	)
	groupInDefault := plantest.PodGroup(volcanov1beta1.PodGroupSpec{Queue: "default"})
	groups := func(req *fnv1.RunFunctionRequest) {
		plantest.WithObserved("leaderworkerset-worker-0", plantest.SetOfVolcano())(req)
		plantest.WithObserved("leaderworkerset-worker-1", plantest.ReplicaOnVolcano("llama-worker-1"))(req)
		plantest.WithObserved("podgroup-worker-0", groupInDefault)(req)
		plantest.WithObserved("podgroup-worker-1", groupInDefault)(req)
	}
	operator := func(req *fnv1.RunFunctionRequest) {
		plantest.WithObserved("leaderworkerset-worker-0", setOfOperator())(req)
		plantest.WithObserved("leaderworkerset-worker-1", setOfOperator())(req)
	}
	live := func(queue string, options ...plantest.RequestOption) *fnv1.RunFunctionRequest {
		xr := plantest.Graph(plantest.Multinode)
		if queue != "" {
			plantest.Annotated("scheduling.volcano.sh/queue-name", queue)(xr)
		}
		return plantest.Request(xr, append(options, plantest.WithGroups("lws", "volcano"))...)
	}
	inUse := volcanoQueueFound("default")
	compare(t, map[string]responseCase{
		"AtRest": {
			reason: "The queue of gangs that exist is not looked up.",
			req:    live("", groups),
			want:   want(asksForGroups(), accepted(), onLWS(), inUse, gangPlan(byPodGroup())),
		},
		"ProviderChanged": {
			reason: "Without their PodGroups the replicas would restart, all at once and wherever there is room.",
			req:    live("", groups, plantest.WithInput(inputv1alpha1.Policy{LWS: inputv1alpha1.LWS{GangProvider: inputv1alpha1.GangProviderLWS}})),
			want:   want(asksForGroups(), acceptedWith(keepsProvider), onLWS(), inUse, gangPlan(byPodGroup()), warningResult(keepsProvider)),
		},
		"ProviderChangedToPodGroups": {
			reason: "Gangs that the LWS operator creates are not replaced by PodGroups.",
			req:    live("", operator),
			want:   want(asksForGroups(), acceptedWith(keepsOperator), onLWS(), inUse, gangPlan(byOperator()), warningResult(keepsOperator)),
		},
		"QueueChanged": {
			reason: "Another queue of the platform is for new graphs.",
			req:    live("", groups, plantest.WithInput(inputv1alpha1.Policy{Volcano: inputv1alpha1.Volcano{Queue: "shared"}})),
			want:   want(asksForGroups(), acceptedWith(keepsQueue), onLWS(), inUse, gangPlan(byPodGroup()), warningResult(keepsQueue)),
		},
		"QueueNamed": {
			reason: "The user moves the graph to another queue.",
			req:    live("team-a", groups, plantest.WithVolcanoQueue("Open")),
			want: want(asksForGroups(), asksForVolcanoQueue("team-a"), accepted(), onLWS(), volcanoQueueFound("team-a"),
				gangPlan(steptest.ByPodGroup())),
		},
		"QueueNamedClosed": {
			reason: "A queue that takes no gangs leaves those that exist where they are.",
			req:    live("team-a", groups, plantest.WithVolcanoQueue("Closed")),
			want: want(soon(), asksForGroups(), asksForVolcanoQueue("team-a"), accepted(), onLWS(),
				volcanoQueue("QueueClosed", "Volcano Queue team-a of annotation scheduling.volcano.sh/queue-name is not open; the graph stays in queue default until then"), gangPlan(byPodGroup())),
		},
		"QueueHalfMoved": {
			reason: "A move that has begun goes on without another look: replicas may move one by one.",
			req: plantest.Request(plantest.Graph(plantest.Multinode, plantest.Annotated("nvidia.com/kai-scheduler-queue", "team-a")), plantest.WithGroups("lws", "kai"),
				plantest.WithObserved("leaderworkerset-worker-0", plantest.SetOfKAI()), plantest.WithObserved("leaderworkerset-worker-1", plantest.SetOfKAI(inKAIQueue("team-a")))),
			want: want(asksForGroups(), accepted(), onLWS(),
				conditioned("QueueAvailable", isTrue, "QueueFound", "KAI Queue team-a existed when pods were added to it"),
				gangPlan(in("team-a", steptest.ByKAI()))),
		},
		"GangMissing": {
			reason: "A gang that is still to be made needs a queue that takes it.",
			req:    live("", plantest.WithObserved("leaderworkerset-worker-0", plantest.SetOfVolcano()), plantest.WithObserved("podgroup-worker-0", groupInDefault), plantest.WithVolcanoQueue("Open")),
			want:   want(asksForGroups(), asksForVolcanoQueue("default"), accepted(), onLWS(), volcanoQueueFound("default"), gangPlan(byPodGroup())),
		},
	})
}
