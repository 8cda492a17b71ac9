package scheduling_test

import (
	"testing"

	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"
	volcanov1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
)

// setOfOperator has a PodGroup of the LWS operator.
func setOfOperator() *lwsv1.LeaderWorkerSet {
	return plantest.SetOn(graphplan.VolcanoScheduler, "llama-worker-0", plantest.AnnotatedSet(map[string]string{"scheduling.volcano.sh/queue-name": "default"}))
}

// setOfUser has a scheduler that the user has named.
func setOfUser() *lwsv1.LeaderWorkerSet {
	return plantest.SetOn(graphplan.KAIScheduler, "llama-worker-0")
}

// in a queue.
func in(queue string, gang graphplan.Gang) graphplan.Gang {
	gang.Queue = queue
	return gang
}

// TestGang shows who schedules the pods of new LeaderWorkerSets, and in which queue.
func TestGang(t *testing.T) {
	xr := plantest.Graph(plantest.Multinode)
	compare(t, map[string]schedulingCase{
		"Volcano": {
			reason: "Volcano is preferred to KAI, and its default queue is used.",
			req:    plantest.Request(xr, plantest.WithGroups("lws", "volcano", "kai"), plantest.WithVolcanoQueue("Open")),
			want:   scheduled{Asked: []string{"volcano-queue default"}, Queue: condition.ReasonQueueFound, By: in("default", steptest.ByPodGroup())},
		},
		"VolcanoOfTheOperator": {
			reason: "Where the LWS operator makes the gangs the platform says so, and the graph names its queue.",
			req: plantest.Request(plantest.Graph(plantest.Multinode, plantest.Annotated("scheduling.volcano.sh/queue-name", "team-a")), plantest.WithGroups("lws", "volcano"),
				plantest.WithInput(inputv1alpha1.Policy{LWS: inputv1alpha1.LWS{GangProvider: inputv1alpha1.GangProviderLWS}, Volcano: inputv1alpha1.Volcano{Queue: "shared"}}), plantest.WithVolcanoQueue("Open")),
			want: scheduled{Asked: []string{"volcano-queue team-a"}, Queue: condition.ReasonQueueFound, By: steptest.ByOperator()},
		},
		"PlatformsQueue": {
			reason: "Without the annotation, gangs use the queue that the platform names.",
			req:    plantest.Request(xr, plantest.WithGroups("lws", "volcano"), plantest.WithInput(inputv1alpha1.Policy{Volcano: inputv1alpha1.Volcano{Queue: "shared"}}), plantest.WithVolcanoQueue("Open")),
			want:   scheduled{Asked: []string{"volcano-queue shared"}, Queue: condition.ReasonQueueFound, By: in("shared", steptest.ByPodGroup())},
		},
		"KAI": {
			reason: "Without Volcano, KAI schedules the gangs, and its queue must exist.",
			req:    plantest.Request(xr, plantest.WithGroups("lws", "kai"), plantest.WithKAIQueue()),
			want:   scheduled{Asked: []string{"kai-queue dynamo"}, Queue: condition.ReasonQueueFound, By: steptest.ByKAI()},
		},
		"QueueNotLookedUp": {
			reason: "A queue that has not been looked up yet is not taken to be missing.",
			req:    plantest.Request(xr, plantest.WithGroups("lws", "volcano")),
			want:   scheduled{Asked: []string{"volcano-queue default"}},
		},
		"QueueMissing": {
			reason: "Volcano's webhook would refuse every PodGroup in a queue that does not exist.",
			req:    plantest.Request(xr, plantest.WithGroups("lws", "volcano"), plantest.WithoutObject("volcano-queue")),
			want:   scheduled{Asked: []string{"volcano-queue default"}, Said: plantest.Refused(subject.NotSupported, rule.NotSupportedHere, "input.volcano.queue")},
		},
		"QueueClosed": {
			reason: "Volcano's webhook would refuse every PodGroup in a queue that is not open.",
			req:    plantest.Request(xr, plantest.WithGroups("lws", "volcano"), plantest.WithVolcanoQueue("Closing")),
			want:   scheduled{Asked: []string{"volcano-queue default"}, Said: plantest.Refused(subject.NotSupported, rule.NotSupportedHere, "input.volcano.queue")},
		},
		"NamedQueueClosed": {
			reason: "A closed queue that the graph names is the user's mistake, not the platform's.",
			req:    plantest.Request(plantest.Graph(plantest.Multinode, plantest.Annotated("scheduling.volcano.sh/queue-name", "team-a")), plantest.WithGroups("lws", "volcano"), plantest.WithVolcanoQueue("Closed")),
			want:   scheduled{Asked: []string{"volcano-queue team-a"}, Said: plantest.Refused(subject.Mistake, rule.Queues, "metadata.annotations[scheduling.volcano.sh/queue-name]")},
		},
	})
}

// TestGangIsSticky shows that the gangs that exist keep their scheduler: with another one all pods would be replaced.
func TestGangIsSticky(t *testing.T) {
	xr := plantest.Graph(plantest.Multinode)
	live := func(set *lwsv1.LeaderWorkerSet, more ...plantest.RequestOption) *fnv1.RunFunctionRequest {
		return plantest.Request(xr, append(more, plantest.WithObserved("leaderworkerset-worker-0", set))...)
	}
	compare(t, map[string]schedulingCase{
		"VolcanoCameLater": {
			reason: "A graph on KAI stays on KAI when Volcano is installed.",
			req:    live(plantest.SetOfKAI(), plantest.WithGroups("lws", "volcano", "kai"), plantest.WithKAIQueue()),
			want:   scheduled{Asked: []string{"kai-queue dynamo"}, Queue: condition.ReasonQueueFound, By: steptest.ByKAI()},
		},
		"KAIIsGone": {
			reason: "A graph on KAI stays on KAI when KAI is removed, and its queue must not be asked for, because the kind is not served.",
			req:    live(plantest.SetOfKAI(), plantest.WithGroups("lws", "volcano")),
			want:   scheduled{Queue: condition.ReasonQueueNotFound, By: steptest.ByKAI(), Soon: true},
		},
		"VolcanoIsGone": {
			reason: "A graph on Volcano does not move to KAI when Volcano is removed.",
			req:    live(plantest.SetOfVolcano(), plantest.WithGroups("lws", "kai")),
			want:   scheduled{Said: plantest.Refused(subject.NotSupported, rule.NotSupportedHere, "")},
		},
		"VolcanoIsGoneUnderTheOperator": {
			reason: "A graph whose gangs the LWS operator makes does not move to KAI when Volcano is removed.",
			req:    live(setOfOperator(), plantest.WithGroups("lws", "kai"), plantest.WithInput(inputv1alpha1.Policy{LWS: inputv1alpha1.LWS{GangProvider: inputv1alpha1.GangProviderLWS}})),
			want:   scheduled{Said: plantest.Refused(subject.NotSupported, rule.NotSupportedHere, "")},
		},
		"OnlyPodGroupObserved": {
			reason: "An observed PodGroup shows that the graph is on Volcano.",
			req: plantest.Request(plantest.Graph(plantest.Frontend, plantest.Multinode), plantest.WithGroups("lws", "kai"), plantest.WithObserved("podgroup-worker-0", plantest.PodGroup(volcanov1beta1.PodGroupSpec{})),
				plantest.WithObserved("deployment-frontend", plantest.FrontendDeployment())),
			want: scheduled{Said: plantest.Refused(subject.NotSupported, rule.NotSupportedHere, "")},
		},
		"OnlyPodGroupReferenced": {
			reason: "A reference to a PodGroup shows that the graph is on Volcano.",
			req: plantest.Request(xr, plantest.WithReferences(plantest.ReferenceTo("scheduling.volcano.sh/v1beta1", "PodGroup", "llama-worker-0")),
				plantest.WithGroups("lws", "kai"), plantest.WithObserved("leaderworkerset-worker-0", setOfUser())),
			want: scheduled{Said: plantest.Refused(subject.NotSupported, rule.NotSupportedHere, "")},
		},
		"UsersOwnScheduler": {
			reason: "A scheduler that the user named is no scheduled of ours.",
			req:    live(setOfUser(), plantest.WithGroups("lws", "volcano", "kai"), plantest.WithVolcanoQueue("Open")),
			want:   scheduled{Asked: []string{"volcano-queue default"}, Queue: condition.ReasonQueueFound, By: in("default", steptest.ByPodGroup())},
		},
		"QueueMissingLater": {
			reason: "A graph whose queue is missing keeps running; a condition says so, and Crossplane looks again soon.",
			req:    live(plantest.SetOfVolcano(), plantest.WithGroups("lws", "volcano"), plantest.WithoutObject("volcano-queue")),
			want:   scheduled{Asked: []string{"volcano-queue default"}, Queue: condition.ReasonQueueNotFound, By: in("default", steptest.ByPodGroup()), Soon: true},
		},
		"QueueClosedLater": {
			reason: "A graph whose queue was closed keeps running; a condition says so, and Crossplane looks again soon.",
			req:    live(plantest.SetOfVolcano(), plantest.WithGroups("lws", "volcano"), plantest.WithVolcanoQueue("Closed")),
			want:   scheduled{Asked: []string{"volcano-queue default"}, Queue: condition.ReasonQueueClosed, By: in("default", steptest.ByPodGroup()), Soon: true},
		},
	})
}

// TestGangsKeepWhatTheyHave shows that gangs keep who makes them, and their queue.
func TestGangsKeepWhatTheyHave(t *testing.T) {
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
	compare(t, map[string]schedulingCase{
		"AtRest": {
			reason: "The queue of gangs that exist is not looked up.",
			req:    live("", groups),
			want:   scheduled{Queue: condition.ReasonQueueFound, By: in("default", steptest.ByPodGroup())},
		},
		"ProviderChanged": {
			reason: "Without their PodGroups the replicas would restart, all at once and wherever there is room.",
			req:    live("", groups, plantest.WithInput(inputv1alpha1.Policy{LWS: inputv1alpha1.LWS{GangProvider: inputv1alpha1.GangProviderLWS}})),
			want:   scheduled{Said: plantest.Warned(rule.Queues, ""), Queue: condition.ReasonQueueFound, By: in("default", steptest.ByPodGroup())},
		},
		"ProviderChangedToPodGroups": {
			reason: "Gangs that the LWS operator creates are not replaced by PodGroups.",
			req:    live("", operator),
			want:   scheduled{Said: plantest.Warned(rule.Queues, ""), Queue: condition.ReasonQueueFound, By: in("default", steptest.ByOperator())},
		},
		"QueueChanged": {
			reason: "Another queue of the platform is for new graphs.",
			req:    live("", groups, plantest.WithInput(inputv1alpha1.Policy{Volcano: inputv1alpha1.Volcano{Queue: "shared"}})),
			want:   scheduled{Said: plantest.Warned(rule.Queues, ""), Queue: condition.ReasonQueueFound, By: in("default", steptest.ByPodGroup())},
		},
		"QueueNamed": {
			reason: "The user moves the graph to another queue.",
			req:    live("team-a", groups, plantest.WithVolcanoQueue("Open")),
			want:   scheduled{Asked: []string{"volcano-queue team-a"}, Queue: condition.ReasonQueueFound, By: steptest.ByPodGroup()},
		},
		"QueueNamedClosed": {
			reason: "A queue that takes no gangs leaves those that exist where they are.",
			req:    live("team-a", groups, plantest.WithVolcanoQueue("Closed")),
			want:   scheduled{Asked: []string{"volcano-queue team-a"}, Queue: condition.ReasonQueueClosed, By: in("default", steptest.ByPodGroup()), Soon: true},
		},
		"QueueHalfMoved": {
			reason: "A move that has begun goes on without another look: replicas may move one by one.",
			req: plantest.Request(plantest.Graph(plantest.Multinode, plantest.Annotated("nvidia.com/kai-scheduler-queue", "team-a")), plantest.WithGroups("lws", "kai"),
				plantest.WithObserved("leaderworkerset-worker-0", plantest.SetOfKAI()), plantest.WithObserved("leaderworkerset-worker-1", plantest.SetOfKAI(func(set *lwsv1.LeaderWorkerSet) {
					set.Spec.LeaderWorkerTemplate.WorkerTemplate.Labels["kai.scheduler/queue"] = "team-a"
				}))),
			want: scheduled{Queue: condition.ReasonQueueFound, By: in("team-a", steptest.ByKAI())},
		},
		"GangMissing": {
			reason: "A gang that is still to be made needs a queue that takes it.",
			req:    live("", plantest.WithObserved("leaderworkerset-worker-0", plantest.SetOfVolcano()), plantest.WithObserved("podgroup-worker-0", groupInDefault), plantest.WithVolcanoQueue("Open")),
			want:   scheduled{Asked: []string{"volcano-queue default"}, Queue: condition.ReasonQueueFound, By: in("default", steptest.ByPodGroup())},
		},
	})
}
