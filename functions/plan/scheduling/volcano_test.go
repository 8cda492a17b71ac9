package scheduling_test

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
)

// byVolcano is the input of a platform whose pods on Grove Volcano schedules, in a queue unless it is empty.
func byVolcano(queue string) plantest.RequestOption {
	return plantest.WithInput(inputv1alpha1.Policy{
		Grove: inputv1alpha1.Grove{Scheduler: inputv1alpha1.GroveSchedulerVolcano}, Volcano: inputv1alpha1.Volcano{Queue: queue},
	})
}

// scheduledBy names the scheduler of the pods of a component.
func scheduledBy(scheduler string) plantest.ComponentChange {
	return func(s *v1alpha1.Service) { s.ExtraPodSpec.SchedulerName = scheduler }
}

// observedOnVolcano is a PodCliqueSet whose pods are Volcano's.
func observedOnVolcano() *grovev1alpha1.PodCliqueSet {
	return plantest.PodCliqueSet(plantest.Clique("frontend", func(c *grovev1alpha1.Clique) { c.Spec.PodSpec.SchedulerName = "volcano" }))
}

// TestVolcanoOnGrove shows which new graphs Volcano schedules, and in which queue.
func TestVolcanoOnGrove(t *testing.T) {
	other := plantest.Component("Other", plantest.ComponentOf("", "/echo"), scheduledBy("kai-scheduler"))
	xr := plantest.Graph(plantest.Frontend)
	inSpec := func(xr *v1alpha1.DynamoGraphDeployment) {
		xr.Spec.Annotations = map[string]string{"scheduling.grove.io/volcano-queue": "mine"}
	}
	named := plantest.Graph(plantest.Frontend, plantest.Annotated("nvidia.com/volcano-queue", " team-a "))
	all := plantest.WithGroups("grove", "kai", "volcano")
	inTeamA := plantest.Annotated("nvidia.com/volcano-queue", "team-a")
	byUser := plantest.Component("Frontend", plantest.ComponentOf("frontend"), scheduledBy("volcano"))
	compare(t, map[string]schedulingCase{
		"Platform": {
			reason: "Volcano schedules pods that name no scheduler, although KAI is installed. Grove's default queue is not written.",
			req:    plantest.Request(xr, all, byVolcano(""), plantest.WithVolcanoQueue("Open")),
			want:   scheduled{Asked: []string{"volcano-queue default"}, Queue: condition.ReasonQueueFound, By: onGrove("volcano", "")},
		},
		"Components": {
			reason: "Graphs in v1beta1 get the same.",
			req: plantest.Request(`{"apiVersion":"nvidia.com/v1beta1","kind":"DynamoGraphDeployment","metadata":{"name":"llama","namespace":"inference","annotations":{"nvidia.com/volcano-queue":"team-a"}},
				"spec":{"components":[{"name":"Frontend","type":"frontend","podTemplate":{"spec":{"containers":[{"name":"main","image":"registry.example.org/runtime:1.4.0"}]}}}]}}`, all, byVolcano(""), plantest.WithVolcanoQueue("Open")),
			want: scheduled{Asked: []string{"volcano-queue team-a"}, Queue: condition.ReasonQueueFound, By: onGrove("volcano", "team-a")},
		},
		"QueueOfPlatform": {
			reason: "The queue of the platform is for graphs that name none.",
			req:    plantest.Request(xr, all, byVolcano("shared"), plantest.WithVolcanoQueue("Open")),
			want:   scheduled{Asked: []string{"volcano-queue shared"}, Queue: condition.ReasonQueueFound, By: onGrove("volcano", "shared")},
		},
		"QueueOfGraph": {
			reason: "A graph names its queue, with spaces around it as with the operator.",
			req:    plantest.Request(named, all, byVolcano("shared"), plantest.WithVolcanoQueue("Open")),
			want:   scheduled{Asked: []string{"volcano-queue team-a"}, Queue: condition.ReasonQueueFound, By: onGrove("volcano", "team-a")},
		},
		"QueueOfSpec": {
			reason: "An annotation for Grove itself takes precedence, and is not looked up.",
			req: plantest.Request(plantest.Graph(plantest.Frontend, inSpec),
				all, byVolcano("shared")),
			want: scheduled{Queue: condition.ReasonQueueNotNeeded, By: onGrove("volcano", "")},
		},
		"QueueMissing": {
			reason: "Grove would refuse a queue that does not exist.",
			req:    plantest.Request(xr, all, byVolcano(""), plantest.WithoutObject("volcano-queue")),
			want:   scheduled{Asked: []string{"volcano-queue default"}, Said: plantest.Refused(subject.NotSupported, rule.NotSupportedHere, "input.volcano.queue")},
		},
		"QueueClosed": {
			reason: "Grove would refuse a queue that is not open.",
			req:    plantest.Request(named, all, byVolcano(""), plantest.WithVolcanoQueue("Closed")),
			want:   scheduled{Asked: []string{"volcano-queue team-a"}, Said: plantest.Refused(subject.Mistake, rule.Queues, "metadata.annotations[nvidia.com/volcano-queue]")},
		},
		"Unserved": {
			reason: "Without Volcano, no pod would ever be scheduled.",
			req:    plantest.Request(xr, plantest.WithGroups("grove", "kai"), byVolcano("")),
			want:   scheduled{Said: plantest.Refused(subject.NotSupported, rule.NotSupportedHere, "input.grove.scheduler")},
		},
		"NamedByUser": {
			reason: "Volcano schedules pods that name it, in a queue that exists.",
			req:    plantest.Request(plantest.Graph(byUser), all, plantest.WithVolcanoQueue("Open")),
			want:   scheduled{Asked: []string{"volcano-queue default"}, Queue: condition.ReasonQueueFound, By: onGrove("volcano", "")},
		},
		"NamedByUserAndUnserved": {
			reason: "A scheduler that users name may be any that they call volcano.",
			req:    plantest.Request(plantest.Graph(byUser, inTeamA), plantest.WithGroups("grove")),
			want:   scheduled{Queue: condition.ReasonQueueNotNeeded, By: onGrove("volcano", "team-a")},
		},
		"OtherNamedByUser": {
			reason: "Where all pods name another scheduler, that of the platform has no effect.",
			req: plantest.Request(plantest.Graph(plantest.Frontend, plantest.Changed("Frontend", scheduledBy("mine"))),
				plantest.WithGroups("grove"), byVolcano("")),
			want: scheduled{Queue: condition.ReasonQueueNotNeeded},
		},
		"Mixed": {
			reason: "Grove refuses a set with two schedulers.",
			req:    plantest.Request(plantest.Graph(plantest.Frontend, other), all, byVolcano(""), plantest.WithVolcanoQueue("Open")),
			want:   scheduled{Asked: []string{"volcano-queue default"}, Said: plantest.Refused(subject.Mistake, rule.OnGrove, "spec.components")},
		},
		"Topology": {
			reason: "Grove's backend for Volcano refuses constraints.",
			req:    plantest.Request(plantest.Graph(plantest.Placed("rack", "", "")), all, plantest.WithTopologyBindings(true), plantest.WithTopology(), byVolcano(""), plantest.WithVolcanoQueue("Open")),
			want:   scheduled{Asked: []string{"volcano-queue default"}, Said: plantest.Refused(subject.Mistake, rule.Topology, "spec.topologyConstraint")},
		},
	})
}

// TestVolcanoOnGroveIsSticky shows that a live graph keeps its scheduler and its queue, whatever the platform says now.
func TestVolcanoOnGroveIsSticky(t *testing.T) {
	xr := plantest.Graph(plantest.Frontend)
	live := plantest.WithObserved("podcliqueset", observedOnVolcano())
	all := plantest.WithGroups("grove", "kai", "volcano")
	inTeamA := plantest.Annotated("nvidia.com/volcano-queue", "team-a")
	byUser := plantest.Component("Frontend", plantest.ComponentOf("frontend"), scheduledBy("volcano"))
	compare(t, map[string]schedulingCase{
		"AtRest": {
			reason: "A queue that pods are in is not looked up: Volcano writes to it whenever it places a pod of any graph.",
			req:    plantest.Request(xr, all, byVolcano(""), live),
			want:   scheduled{Queue: condition.ReasonQueueFound, By: onGrove("volcano", "")},
		},
		"TurnedOff": {
			reason: "Grove refuses to change the scheduler of a clique.",
			req:    plantest.Request(xr, all, live),
			want:   scheduled{Said: plantest.Warned(rule.Scheduling, ""), Queue: condition.ReasonQueueFound, By: onGrove("volcano", "")},
		},
		"TurnedOnBesideKAI": {
			reason: "A graph on KAI stays on KAI.",
			req:    plantest.Request(xr, all, byVolcano(""), plantest.WithObserved("podcliqueset", observedOnKAI())),
			want:   scheduled{Said: plantest.Warned(rule.Scheduling, ""), Queue: condition.ReasonQueueFound, By: onGrove("kai-scheduler", "dynamo")},
		},
		"TurnedOn": {
			reason: "A graph on the scheduler of the cluster stays there.",
			req:    plantest.Request(xr, plantest.WithGroups("grove", "volcano"), byVolcano(""), plantest.WithObserved("podcliqueset", plantest.FrontendSet())),
			want:   scheduled{Said: plantest.Warned(rule.Scheduling, ""), Queue: condition.ReasonQueueNotNeeded},
		},
		"OtherQueueOfPlatform": {
			reason: "Pods stay in their queue when the platform has another one.",
			req:    plantest.Request(xr, all, byVolcano("shared"), live),
			want:   scheduled{Said: plantest.Warned(rule.Queues, ""), Queue: condition.ReasonQueueFound, By: onGrove("volcano", "")},
		},
		"OtherQueueOfGraph": {
			reason: "The user moves the graph to another queue, once that is open.",
			req:    plantest.Request(plantest.Graph(plantest.Frontend, inTeamA), all, byVolcano(""), live, plantest.WithVolcanoQueue("Open")),
			want:   scheduled{Asked: []string{"volcano-queue team-a"}, Queue: condition.ReasonQueueFound, By: onGrove("volcano", "team-a")},
		},
		"OtherQueueMissing": {
			reason: "Grove would refuse the queue.",
			req:    plantest.Request(plantest.Graph(plantest.Frontend, inTeamA), all, byVolcano(""), live, plantest.WithoutObject("volcano-queue")),
			want:   scheduled{Asked: []string{"volcano-queue team-a"}, Queue: condition.ReasonQueueNotFound, By: onGrove("volcano", "default"), Soon: true},
		},
		"Disabled": {
			reason: "A graph on Volcano stays there while the cluster serves it.",
			req: plantest.Request(xr, all, plantest.WithInput(inputv1alpha1.Policy{
				Grove: inputv1alpha1.Grove{Scheduler: inputv1alpha1.GroveSchedulerVolcano}, Volcano: inputv1alpha1.Volcano{Mode: inputv1alpha1.ModeDisabled},
			}), live),
			want: scheduled{Said: plantest.Warned(rule.Scheduling, ""), Queue: condition.ReasonQueueFound, By: onGrove("volcano", "")},
		},
		"NamedByUser": {
			reason: "The scheduler that users name is not the platform's.",
			req:    plantest.Request(plantest.Graph(byUser), all, live),
			want:   scheduled{Queue: condition.ReasonQueueFound, By: onGrove("volcano", "")},
		},
	})
}
