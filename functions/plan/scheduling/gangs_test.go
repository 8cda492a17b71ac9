package scheduling_test

import (
	"testing"

	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"
	volcanov1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest/whole"
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
	compare(t, map[string]whole.Row[scheduled]{
		"Volcano": {
			Reason:  "Volcano is preferred to KAI, and its default queue is used.",
			Request: plantest.Request(xr, plantest.WithGroups("lws", "volcano", "kai"), plantest.WithVolcanoQueue("Open")),
			Want:    scheduled{Asked: []string{"volcano-queue default"}, Queue: condition.ReasonQueueFound, By: in("default", steptest.ByPodGroup())},
		},
		"VolcanoOfTheOperator": {
			Reason: "Where the LWS operator makes the gangs the platform says so, and the graph names its queue.",
			Request: plantest.Request(plantest.Graph(plantest.Multinode, plantest.Annotated("scheduling.volcano.sh/queue-name", "team-a")), plantest.WithGroups("lws", "volcano"),
				plantest.WithInput(inputv1alpha1.Policy{LWS: inputv1alpha1.LWS{GangProvider: inputv1alpha1.GangProviderLWS}, Volcano: inputv1alpha1.Volcano{Queue: "shared"}}), plantest.WithVolcanoQueue("Open")),
			Want: scheduled{Asked: []string{"volcano-queue team-a"}, Queue: condition.ReasonQueueFound, By: steptest.ByOperator()},
		},
		"PlatformsQueue": {
			Reason:  "Without the annotation, gangs use the queue that the platform names.",
			Request: plantest.Request(xr, plantest.WithGroups("lws", "volcano"), plantest.WithInput(inputv1alpha1.Policy{Volcano: inputv1alpha1.Volcano{Queue: "shared"}}), plantest.WithVolcanoQueue("Open")),
			Want:    scheduled{Asked: []string{"volcano-queue shared"}, Queue: condition.ReasonQueueFound, By: in("shared", steptest.ByPodGroup())},
		},
		"KAI": {
			Reason:  "Without Volcano, KAI schedules the gangs, and its queue must exist.",
			Request: plantest.Request(xr, plantest.WithGroups("lws", "kai"), plantest.WithKAIQueue()),
			Want:    scheduled{Asked: []string{"kai-queue dynamo"}, Queue: condition.ReasonQueueFound, By: steptest.ByKAI()},
		},
		"QueueNotLookedUp": {
			Reason:  "A queue that has not been looked up yet is not taken to be missing.",
			Request: plantest.Request(xr, plantest.WithGroups("lws", "volcano")),
			Want:    scheduled{Asked: []string{"volcano-queue default"}},
		},
		"QueueMissing": {
			Reason:  "Volcano's webhook would refuse every PodGroup in a queue that does not exist.",
			Request: plantest.Request(xr, plantest.WithGroups("lws", "volcano"), plantest.WithoutObject("volcano-queue")),
			Want:    scheduled{Asked: []string{"volcano-queue default"}, Said: plantest.Refused(subject.NotSupported, rule.NotSupportedHere, "input.volcano.queue")},
		},
		"QueueClosed": {
			Reason:  "Volcano's webhook would refuse every PodGroup in a queue that is not open.",
			Request: plantest.Request(xr, plantest.WithGroups("lws", "volcano"), plantest.WithVolcanoQueue("Closing")),
			Want:    scheduled{Asked: []string{"volcano-queue default"}, Said: plantest.Refused(subject.NotSupported, rule.NotSupportedHere, "input.volcano.queue")},
		},
		"NamedQueueClosed": {
			Reason:  "A closed queue that the graph names is the user's mistake, not the platform's.",
			Request: plantest.Request(plantest.Graph(plantest.Multinode, plantest.Annotated("scheduling.volcano.sh/queue-name", "team-a")), plantest.WithGroups("lws", "volcano"), plantest.WithVolcanoQueue("Closed")),
			Want:    scheduled{Asked: []string{"volcano-queue team-a"}, Said: plantest.Refused(subject.Mistake, rule.Queues, "metadata.annotations[scheduling.volcano.sh/queue-name]")},
		},
	})
}

// TestGangIsSticky shows that the gangs that exist keep their scheduler: with another one all pods would be replaced.
func TestGangIsSticky(t *testing.T) {
	xr := plantest.Graph(plantest.Multinode)
	live := func(set *lwsv1.LeaderWorkerSet, more ...plantest.RequestOption) *fnv1.RunFunctionRequest {
		return plantest.Request(xr, append(more, plantest.WithObserved("leaderworkerset-worker-0", set))...)
	}
	compare(t, map[string]whole.Row[scheduled]{
		"VolcanoCameLater": {
			Reason:  "A graph on KAI stays on KAI when Volcano is installed.",
			Request: live(plantest.SetOfKAI(), plantest.WithGroups("lws", "volcano", "kai"), plantest.WithKAIQueue()),
			Want:    scheduled{Asked: []string{"kai-queue dynamo"}, Queue: condition.ReasonQueueFound, By: steptest.ByKAI()},
		},
		"KAIIsGone": {
			Reason:  "A graph on KAI stays on KAI when KAI is removed, and its queue must not be asked for, because the kind is not served.",
			Request: live(plantest.SetOfKAI(), plantest.WithGroups("lws", "volcano")),
			Want:    scheduled{Queue: condition.ReasonQueueNotFound, By: steptest.ByKAI(), Soon: true},
		},
		"VolcanoIsGone": {
			Reason:  "A graph on Volcano does not move to KAI when Volcano is removed.",
			Request: live(plantest.SetOfVolcano(), plantest.WithGroups("lws", "kai")),
			Want:    scheduled{Said: plantest.Refused(subject.NotSupported, rule.NotSupportedHere, "")},
		},
		"VolcanoIsGoneUnderTheOperator": {
			Reason:  "A graph whose gangs the LWS operator makes does not move to KAI when Volcano is removed.",
			Request: live(setOfOperator(), plantest.WithGroups("lws", "kai"), plantest.WithInput(inputv1alpha1.Policy{LWS: inputv1alpha1.LWS{GangProvider: inputv1alpha1.GangProviderLWS}})),
			Want:    scheduled{Said: plantest.Refused(subject.NotSupported, rule.NotSupportedHere, "")},
		},
		"OnlyPodGroupObserved": {
			Reason: "An observed PodGroup shows that the graph is on Volcano.",
			Request: plantest.Request(plantest.Graph(plantest.Frontend, plantest.Multinode), plantest.WithGroups("lws", "kai"), plantest.WithObserved("podgroup-worker-0", plantest.PodGroup(volcanov1beta1.PodGroupSpec{})),
				plantest.WithObserved("deployment-frontend", plantest.FrontendDeployment())),
			Want: scheduled{Said: plantest.Refused(subject.NotSupported, rule.NotSupportedHere, "")},
		},
		"OnlyPodGroupReferenced": {
			Reason: "A reference to a PodGroup shows that the graph is on Volcano.",
			Request: plantest.Request(xr, plantest.WithReferences(plantest.ReferenceTo("scheduling.volcano.sh/v1beta1", "PodGroup", "llama-worker-0")),
				plantest.WithGroups("lws", "kai"), plantest.WithObserved("leaderworkerset-worker-0", setOfUser())),
			Want: scheduled{Said: plantest.Refused(subject.NotSupported, rule.NotSupportedHere, "")},
		},
		"UsersOwnScheduler": {
			Reason:  "A scheduler that the user named is no scheduled of ours.",
			Request: live(setOfUser(), plantest.WithGroups("lws", "volcano", "kai"), plantest.WithVolcanoQueue("Open")),
			Want:    scheduled{Asked: []string{"volcano-queue default"}, Queue: condition.ReasonQueueFound, By: in("default", steptest.ByPodGroup())},
		},
		"QueueMissingLater": {
			Reason:  "A graph whose queue is missing keeps running; a condition says so, and Crossplane looks again soon.",
			Request: live(plantest.SetOfVolcano(), plantest.WithGroups("lws", "volcano"), plantest.WithoutObject("volcano-queue")),
			Want:    scheduled{Asked: []string{"volcano-queue default"}, Queue: condition.ReasonQueueNotFound, By: in("default", steptest.ByPodGroup()), Soon: true},
		},
		"QueueClosedLater": {
			Reason:  "A graph whose queue was closed keeps running; a condition says so, and Crossplane looks again soon.",
			Request: live(plantest.SetOfVolcano(), plantest.WithGroups("lws", "volcano"), plantest.WithVolcanoQueue("Closed")),
			Want:    scheduled{Asked: []string{"volcano-queue default"}, Queue: condition.ReasonQueueClosed, By: in("default", steptest.ByPodGroup()), Soon: true},
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
	compare(t, map[string]whole.Row[scheduled]{
		"AtRest": {
			Reason:  "The queue of gangs that exist is not looked up.",
			Request: live("", groups),
			Want:    scheduled{Queue: condition.ReasonQueueFound, By: in("default", steptest.ByPodGroup())},
		},
		"ProviderChanged": {
			Reason:  "Without their PodGroups the replicas would restart, all at once and wherever there is room.",
			Request: live("", groups, plantest.WithInput(inputv1alpha1.Policy{LWS: inputv1alpha1.LWS{GangProvider: inputv1alpha1.GangProviderLWS}})),
			Want:    scheduled{Said: plantest.Warned(rule.Queues, ""), Queue: condition.ReasonQueueFound, By: in("default", steptest.ByPodGroup())},
		},
		"ProviderChangedToPodGroups": {
			Reason:  "Gangs that the LWS operator creates are not replaced by PodGroups.",
			Request: live("", operator),
			Want:    scheduled{Said: plantest.Warned(rule.Queues, ""), Queue: condition.ReasonQueueFound, By: in("default", steptest.ByOperator())},
		},
		"QueueChanged": {
			Reason:  "Another queue of the platform is for new graphs.",
			Request: live("", groups, plantest.WithInput(inputv1alpha1.Policy{Volcano: inputv1alpha1.Volcano{Queue: "shared"}})),
			Want:    scheduled{Said: plantest.Warned(rule.Queues, ""), Queue: condition.ReasonQueueFound, By: in("default", steptest.ByPodGroup())},
		},
		"QueueNamed": {
			Reason:  "The user moves the graph to another queue.",
			Request: live("team-a", groups, plantest.WithVolcanoQueue("Open")),
			Want:    scheduled{Asked: []string{"volcano-queue team-a"}, Queue: condition.ReasonQueueFound, By: steptest.ByPodGroup()},
		},
		"QueueNamedClosed": {
			Reason:  "A queue that takes no gangs leaves those that exist where they are.",
			Request: live("team-a", groups, plantest.WithVolcanoQueue("Closed")),
			Want:    scheduled{Asked: []string{"volcano-queue team-a"}, Queue: condition.ReasonQueueClosed, By: in("default", steptest.ByPodGroup()), Soon: true},
		},
		"QueueHalfMoved": {
			Reason: "A move that has begun goes on without another look: replicas may move one by one.",
			Request: plantest.Request(plantest.Graph(plantest.Multinode, plantest.Annotated("nvidia.com/kai-scheduler-queue", "team-a")), plantest.WithGroups("lws", "kai"),
				plantest.WithObserved("leaderworkerset-worker-0", plantest.SetOfKAI()), plantest.WithObserved("leaderworkerset-worker-1", plantest.SetOfKAI(func(set *lwsv1.LeaderWorkerSet) {
					set.Spec.LeaderWorkerTemplate.WorkerTemplate.Labels["kai.scheduler/queue"] = "team-a"
				}))),
			Want: scheduled{Queue: condition.ReasonQueueFound, By: in("team-a", steptest.ByKAI())},
		},
		"GangMissing": {
			Reason:  "A gang that is still to be made needs a queue that takes it.",
			Request: live("", plantest.WithObserved("leaderworkerset-worker-0", plantest.SetOfVolcano()), plantest.WithObserved("podgroup-worker-0", groupInDefault), plantest.WithVolcanoQueue("Open")),
			Want:    scheduled{Asked: []string{"volcano-queue default"}, Queue: condition.ReasonQueueFound, By: in("default", steptest.ByPodGroup())},
		},
	})
}
