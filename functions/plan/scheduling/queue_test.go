package scheduling_test

import (
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
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
	compare(t, map[string]schedulingCase{
		"MissingOnCreation": {
			reason: "A new graph is refused when its queue does not exist, because no pod would ever be scheduled.",
			req:    plantest.Request(xr, plantest.WithGroups("grove", "kai"), plantest.WithoutObject("kai-queue")),
			want:   scheduled{Asked: []string{"kai-queue dynamo"}, Said: plantest.Refused(subject.NotSupported, rule.NotSupportedHere, "input.kai.queue")},
		},
		"NamedMissingOnCreation": {
			reason: "Only the annotation that the user wrote is the user's mistake.",
			req:    plantest.Request(plantest.Graph(plantest.Frontend, plantest.Annotated("nvidia.com/kai-scheduler-queue", "team-a")), plantest.WithGroups("grove", "kai"), plantest.WithoutObject("kai-queue")),
			want:   scheduled{Asked: []string{"kai-queue team-a"}, Said: plantest.Refused(subject.Mistake, rule.Queues, "metadata.annotations[nvidia.com/kai-scheduler-queue]")},
		},
		"Annotation": {
			reason: "The graph's annotation names the queue.",
			req: plantest.Request(plantest.Graph(plantest.Frontend, plantest.Annotated("nvidia.com/kai-scheduler-queue", "team-a")), plantest.WithGroups("grove", "kai"),
				plantest.WithKAIQueue()),
			want: scheduled{Asked: []string{"kai-queue team-a"}, Queue: condition.ReasonQueueFound, By: onGrove("kai-scheduler", "team-a")},
		},
		"Input": {
			reason: "Without the annotation, the platform's input names the queue.",
			req:    plantest.Request(xr, plantest.WithGroups("grove", "kai"), plantest.WithInput(inputv1alpha1.Policy{KAI: inputv1alpha1.KAI{Queue: "shared"}}), plantest.WithKAIQueue()),
			want:   scheduled{Asked: []string{"kai-queue shared"}, Queue: condition.ReasonQueueFound, By: onGrove("kai-scheduler", "shared")},
		},
		"NamedWithoutKAI": {
			reason: "Grove's backend for KAI refuses a PodCliqueSet without a queue, so a scheduler that users name needs one where the platform gives none.",
			req:    plantest.Request(plantest.Graph(plantest.Frontend, kaiNamed), plantest.WithGroups("grove")),
			want:   scheduled{Said: plantest.Refused(subject.NotSupported, rule.NotSupportedHere, "spec.components[Frontend].podTemplate.spec.schedulerName")},
		},
		"NamedWithQueue": {
			reason: "A queue that users set on their pods is enough, because Grove reads it there.",
			req:    plantest.Request(plantest.Graph(plantest.Frontend, kaiNamed, kaiLabelled), plantest.WithGroups("grove")),
			want:   scheduled{Queue: condition.ReasonQueueNotNeeded},
		},
		"NotAName": {
			reason: "What cannot be a name is not looked up: the lookup would fail, and with it the message.",
			req:    plantest.Request(plantest.Graph(plantest.Frontend, plantest.Annotated("nvidia.com/kai-scheduler-queue", "a/b")), plantest.WithGroups("grove", "kai")),
			want:   scheduled{Said: plantest.Refused(subject.Mistake, rule.Queues, "metadata.annotations[nvidia.com/kai-scheduler-queue]")},
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
	compare(t, map[string]schedulingCase{
		"AtRest": {
			reason: "A queue that pods are in is not looked up: KAI writes to it whenever it places a pod of any graph.",
			req:    live("", onKAI),
			want:   scheduled{Queue: condition.ReasonQueueFound, By: onGrove("kai-scheduler", "dynamo")},
		},
		"InputChanged": {
			reason: "Another queue of the platform is for new graphs; a live one says what it keeps.",
			req:    live("", onKAI, plantest.WithInput(inputv1alpha1.Policy{KAI: inputv1alpha1.KAI{Queue: "shared"}})),
			want:   scheduled{Said: plantest.Warned(rule.Queues, ""), Queue: condition.ReasonQueueFound, By: onGrove("kai-scheduler", "dynamo")},
		},
		"NamedTheSame": {
			reason: "A graph may name the queue that it is in, whatever the platform has now.",
			req:    live("dynamo", onKAI, plantest.WithInput(inputv1alpha1.Policy{KAI: inputv1alpha1.KAI{Queue: "shared"}})),
			want:   scheduled{Queue: condition.ReasonQueueFound, By: onGrove("kai-scheduler", "dynamo")},
		},
		"NamedAnother": {
			reason: "KAI keeps the queue of pods that run, so that another label would restart them for nothing.",
			req:    live("team-a", onKAI, plantest.WithKAIQueue()),
			want:   scheduled{Said: plantest.Refused(subject.ImmutableChange, rule.Queues, "metadata.annotations[nvidia.com/kai-scheduler-queue]")},
		},
	})
}

// TestSchedulerIsSticky shows that installing and removing KAI changes nothing for a graph that runs: Grove refuses to
// change the scheduler of a clique.
func TestSchedulerIsSticky(t *testing.T) {
	usersScheduler := func(c *grovev1alpha1.Clique) { c.Spec.PodSpec.SchedulerName = graphplan.KAIScheduler }
	xr := plantest.Graph(plantest.Frontend)
	compare(t, map[string]schedulingCase{
		"KAICameLater": {
			reason: "A graph without KAI stays without it when KAI is installed.",
			req:    plantest.Request(xr, plantest.WithGroups("grove", "kai"), plantest.WithObserved("podcliqueset", plantest.FrontendSet())),
			want:   scheduled{Queue: condition.ReasonQueueNotNeeded},
		},
		"KAIIsGone": {
			reason: "A graph on KAI stays on KAI when KAI is removed, and its queue must not be asked for, because the kind is not served.",
			req:    plantest.Request(xr, plantest.WithGroups("grove"), plantest.WithObserved("podcliqueset", observedOnKAI())),
			want:   scheduled{Queue: condition.ReasonQueueNotFound, By: onGrove("kai-scheduler", "dynamo"), Soon: true},
		},
		"UsersOwnScheduler": {
			reason: "A scheduler that the user named is no scheduled of ours.",
			req:    plantest.Request(xr, plantest.WithGroups("grove"), plantest.WithObserved("podcliqueset", plantest.PodCliqueSet(plantest.Clique("frontend", usersScheduler)))),
			want:   scheduled{Queue: condition.ReasonQueueNotNeeded},
		},
		"SetIsGone": {
			reason: "A PodCliqueSet that was deleted is created again, with the schedulers that are installed now.",
			req: plantest.Request(plantest.Graph(plantest.Frontend, plantest.RunningOn("Grove")), plantest.WithReferences(plantest.ReferenceToSet()),
				plantest.WithGroups("grove", "kai"), plantest.WithKAIQueue()),
			want: scheduled{Asked: []string{"kai-queue dynamo"}, Queue: condition.ReasonQueueFound, By: onGrove("kai-scheduler", "dynamo")},
		},
	})
}
