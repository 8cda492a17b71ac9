package scheduling_test

import (
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest/whole"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
)

// observedOnKAI is a PodCliqueSet whose pods are KAI's.
func observedOnKAI() *grovev1alpha1.PodCliqueSet {
	return plantest.PodCliqueSet(plantest.Clique("frontend", plantest.OnKAI))
}

// kaiNamed has the frontend name the scheduler.
func kaiNamed(xr *v1alpha1.DynamoGraphDeployment) {
	service := xr.Spec.Services["Frontend"]
	service.ExtraPodSpec.SchedulerName = graphplan.KAIScheduler
	xr.Spec.Services["Frontend"] = service
}

// kaiLabelled has the pods of the frontend in a queue that its user names.
func kaiLabelled(xr *v1alpha1.DynamoGraphDeployment) {
	service := xr.Spec.Services["Frontend"]
	service.ExtraPodMetadata = &v1alpha1.ExtraPodMetadata{Labels: map[string]string{"kai.scheduler/queue": "mine"}}
	xr.Spec.Services["Frontend"] = service
}

func TestQueue(t *testing.T) {
	xr := plantest.Graph(plantest.Frontend)
	compare(t, map[string]whole.Row[scheduled]{
		"MissingOnCreation": {
			Reason:  "A new graph is refused when its queue does not exist, because no pod would ever be scheduled.",
			Request: plantest.Request(xr, plantest.WithGroups("grove", "kai"), plantest.WithoutObject("kai-queue")),
			Want:    scheduled{Asked: []string{"kai-queue dynamo"}, Said: plantest.Refused(subject.NotSupported, rule.NotSupportedHere, "input.kai.queue")},
		},
		"NamedMissingOnCreation": {
			Reason:  "Only the annotation that the user wrote is the user's mistake.",
			Request: plantest.Request(plantest.Graph(plantest.Frontend, plantest.Annotated("nvidia.com/kai-scheduler-queue", "team-a")), plantest.WithGroups("grove", "kai"), plantest.WithoutObject("kai-queue")),
			Want:    scheduled{Asked: []string{"kai-queue team-a"}, Said: plantest.Refused(subject.Mistake, rule.Queues, "metadata.annotations[nvidia.com/kai-scheduler-queue]")},
		},
		"Annotation": {
			Reason: "The graph's annotation names the queue.",
			Request: plantest.Request(plantest.Graph(plantest.Frontend, plantest.Annotated("nvidia.com/kai-scheduler-queue", "team-a")), plantest.WithGroups("grove", "kai"),
				plantest.WithKAIQueue()),
			Want: scheduled{Asked: []string{"kai-queue team-a"}, Queue: condition.ReasonQueueFound, By: onGrove("kai-scheduler", "team-a")},
		},
		"Input": {
			Reason:  "Without the annotation, the platform's input names the queue.",
			Request: plantest.Request(xr, plantest.WithGroups("grove", "kai"), plantest.WithInput(inputv1alpha1.Policy{KAI: inputv1alpha1.KAI{Queue: "shared"}}), plantest.WithKAIQueue()),
			Want:    scheduled{Asked: []string{"kai-queue shared"}, Queue: condition.ReasonQueueFound, By: onGrove("kai-scheduler", "shared")},
		},
		"NamedWithoutKAI": {
			Reason:  "Grove's backend for KAI refuses a PodCliqueSet without a queue, so a scheduler that users name needs one where the platform gives none.",
			Request: plantest.Request(plantest.Graph(plantest.Frontend, kaiNamed), plantest.WithGroups("grove")),
			Want:    scheduled{Said: plantest.Refused(subject.NotSupported, rule.NotSupportedHere, "spec.components[Frontend].podTemplate.spec.schedulerName")},
		},
		"NamedWithQueue": {
			Reason:  "A queue that users set on their pods is enough, because Grove reads it there.",
			Request: plantest.Request(plantest.Graph(plantest.Frontend, kaiNamed, kaiLabelled), plantest.WithGroups("grove")),
			Want:    scheduled{Queue: condition.ReasonQueueNotNeeded},
		},
		"NotAName": {
			Reason:  "What cannot be a name is not looked up: the lookup would fail, and with it the message.",
			Request: plantest.Request(plantest.Graph(plantest.Frontend, plantest.Annotated("nvidia.com/kai-scheduler-queue", "a/b")), plantest.WithGroups("grove", "kai")),
			Want:    scheduled{Said: plantest.Refused(subject.Mistake, rule.Queues, "metadata.annotations[nvidia.com/kai-scheduler-queue]")},
		},
	})
}

// TestQueueIsSticky shows that the pods of a graph stay in their queue of KAI.
func TestQueueIsSticky(t *testing.T) {
	const annotation = "nvidia.com/kai-scheduler-queue"
	live := func(queue string, more ...plantest.RequestOption) *fnv1.RunFunctionRequest {
		xr := plantest.Graph(plantest.Frontend)
		if queue != "" {
			plantest.Annotated(annotation, queue)(xr)
		}
		return plantest.Request(xr, append(more, plantest.WithObserved("podcliqueset", observedOnKAI()))...)
	}
	onKAI := plantest.WithGroups("grove", "kai")
	compare(t, map[string]whole.Row[scheduled]{
		"AtRest": {
			Reason:  "A queue that pods are in is not looked up: KAI writes to it whenever it places a pod of any graph.",
			Request: live("", onKAI),
			Want:    scheduled{Queue: condition.ReasonQueueFound, By: onGrove("kai-scheduler", "dynamo")},
		},
		"InputChanged": {
			Reason:  "Another queue of the platform is for new graphs; a live one says what it keeps.",
			Request: live("", onKAI, plantest.WithInput(inputv1alpha1.Policy{KAI: inputv1alpha1.KAI{Queue: "shared"}})),
			Want:    scheduled{Said: plantest.Warned(rule.Queues, ""), Queue: condition.ReasonQueueFound, By: onGrove("kai-scheduler", "dynamo")},
		},
		"NamedTheSame": {
			Reason:  "A graph may name the queue that it is in, whatever the platform has now.",
			Request: live("dynamo", onKAI, plantest.WithInput(inputv1alpha1.Policy{KAI: inputv1alpha1.KAI{Queue: "shared"}})),
			Want:    scheduled{Queue: condition.ReasonQueueFound, By: onGrove("kai-scheduler", "dynamo")},
		},
		"NamedAnother": {
			Reason:  "KAI keeps the queue of pods that run, so that another label would restart them for nothing.",
			Request: live("team-a", onKAI, plantest.WithKAIQueue()),
			Want:    scheduled{Said: plantest.Refused(subject.ImmutableChange, rule.Queues, "metadata.annotations[nvidia.com/kai-scheduler-queue]")},
		},
	})
}

// TestSchedulerIsSticky shows that installing and removing KAI changes nothing for a graph that runs: Grove refuses to
// change the scheduler of a clique.
func TestSchedulerIsSticky(t *testing.T) {
	usersScheduler := func(c *grovev1alpha1.Clique) { c.Spec.PodSpec.SchedulerName = graphplan.KAIScheduler }
	xr := plantest.Graph(plantest.Frontend)
	compare(t, map[string]whole.Row[scheduled]{
		"KAICameLater": {
			Reason:  "A graph without KAI stays without it when KAI is installed.",
			Request: plantest.Request(xr, plantest.WithGroups("grove", "kai"), plantest.WithObserved("podcliqueset", plantest.FrontendSet())),
			Want:    scheduled{Queue: condition.ReasonQueueNotNeeded},
		},
		"KAIIsGone": {
			Reason:  "A graph on KAI stays on KAI when KAI is removed, and its queue must not be asked for, because the kind is not served.",
			Request: plantest.Request(xr, plantest.WithGroups("grove"), plantest.WithObserved("podcliqueset", observedOnKAI())),
			Want:    scheduled{Queue: condition.ReasonQueueNotFound, By: onGrove("kai-scheduler", "dynamo"), Soon: true},
		},
		"UsersOwnScheduler": {
			Reason:  "A scheduler that the user named is no scheduled of ours.",
			Request: plantest.Request(xr, plantest.WithGroups("grove"), plantest.WithObserved("podcliqueset", plantest.PodCliqueSet(plantest.Clique("frontend", usersScheduler)))),
			Want:    scheduled{Queue: condition.ReasonQueueNotNeeded},
		},
		"SetIsGone": {
			Reason: "A PodCliqueSet that was deleted is created again, with the schedulers that are installed now.",
			Request: plantest.Request(plantest.Graph(plantest.Frontend, plantest.RunningOn("Grove")), plantest.WithReferences(plantest.ReferenceToSet()),
				plantest.WithGroups("grove", "kai"), plantest.WithKAIQueue()),
			Want: scheduled{Asked: []string{"kai-queue dynamo"}, Queue: condition.ReasonQueueFound, By: onGrove("kai-scheduler", "dynamo")},
		},
	})
}
