package scheduling_test

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest/whole"
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
	compare(t, map[string]whole.Row[scheduled]{
		"Platform": {
			Reason:  "Volcano schedules pods that name no scheduler, although KAI is installed. Grove's default queue is not written.",
			Request: plantest.Request(xr, all, byVolcano(""), plantest.WithVolcanoQueue("Open")),
			Want:    scheduled{Asked: []string{"volcano-queue default"}, Queue: condition.ReasonQueueFound, By: onGrove("volcano", "")},
		},
		"Components": {
			Reason: "Graphs in v1beta1 get the same.",
			Request: plantest.Request(`{"apiVersion":"nvidia.com/v1beta1","kind":"DynamoGraphDeployment","metadata":{"name":"llama","namespace":"inference","annotations":{"nvidia.com/volcano-queue":"team-a"}},
				"spec":{"components":[{"name":"Frontend","type":"frontend","podTemplate":{"spec":{"containers":[{"name":"main","image":"registry.example.org/runtime:1.4.0"}]}}}]}}`, all, byVolcano(""), plantest.WithVolcanoQueue("Open")),
			Want: scheduled{Asked: []string{"volcano-queue team-a"}, Queue: condition.ReasonQueueFound, By: onGrove("volcano", "team-a")},
		},
		"QueueOfPlatform": {
			Reason:  "The queue of the platform is for graphs that name none.",
			Request: plantest.Request(xr, all, byVolcano("shared"), plantest.WithVolcanoQueue("Open")),
			Want:    scheduled{Asked: []string{"volcano-queue shared"}, Queue: condition.ReasonQueueFound, By: onGrove("volcano", "shared")},
		},
		"QueueOfGraph": {
			Reason:  "A graph names its queue, with spaces around it as with the operator.",
			Request: plantest.Request(named, all, byVolcano("shared"), plantest.WithVolcanoQueue("Open")),
			Want:    scheduled{Asked: []string{"volcano-queue team-a"}, Queue: condition.ReasonQueueFound, By: onGrove("volcano", "team-a")},
		},
		"QueueOfSpec": {
			Reason: "An annotation for Grove itself takes precedence, and is not looked up.",
			Request: plantest.Request(plantest.Graph(plantest.Frontend, inSpec),
				all, byVolcano("shared")),
			Want: scheduled{Queue: condition.ReasonQueueNotNeeded, By: onGrove("volcano", "")},
		},
		"QueueMissing": {
			Reason:  "Grove would refuse a queue that does not exist.",
			Request: plantest.Request(xr, all, byVolcano(""), plantest.WithoutObject("volcano-queue")),
			Want:    scheduled{Asked: []string{"volcano-queue default"}, Said: plantest.Refused(subject.NotSupported, rule.NotSupportedHere, "input.volcano.queue")},
		},
		"QueueClosed": {
			Reason:  "Grove would refuse a queue that is not open.",
			Request: plantest.Request(named, all, byVolcano(""), plantest.WithVolcanoQueue("Closed")),
			Want:    scheduled{Asked: []string{"volcano-queue team-a"}, Said: plantest.Refused(subject.Mistake, rule.Queues, "metadata.annotations[nvidia.com/volcano-queue]")},
		},
		"Unserved": {
			Reason:  "Without Volcano, no pod would ever be scheduled.",
			Request: plantest.Request(xr, plantest.WithGroups("grove", "kai"), byVolcano("")),
			Want:    scheduled{Said: plantest.Refused(subject.NotSupported, rule.NotSupportedHere, "input.grove.scheduler")},
		},
		"NamedByUser": {
			Reason:  "Volcano schedules pods that name it, in a queue that exists.",
			Request: plantest.Request(plantest.Graph(byUser), all, plantest.WithVolcanoQueue("Open")),
			Want:    scheduled{Asked: []string{"volcano-queue default"}, Queue: condition.ReasonQueueFound, By: onGrove("volcano", "")},
		},
		"NamedByUserAndUnserved": {
			Reason:  "A scheduler that users name may be any that they call volcano.",
			Request: plantest.Request(plantest.Graph(byUser, inTeamA), plantest.WithGroups("grove")),
			Want:    scheduled{Queue: condition.ReasonQueueNotNeeded, By: onGrove("volcano", "team-a")},
		},
		"OtherNamedByUser": {
			Reason: "Where all pods name another scheduler, that of the platform has no effect.",
			Request: plantest.Request(plantest.Graph(plantest.Frontend, plantest.Changed("Frontend", scheduledBy("mine"))),
				plantest.WithGroups("grove"), byVolcano("")),
			Want: scheduled{Queue: condition.ReasonQueueNotNeeded},
		},
		"Mixed": {
			Reason:  "Grove refuses a set with two schedulers.",
			Request: plantest.Request(plantest.Graph(plantest.Frontend, other), all, byVolcano(""), plantest.WithVolcanoQueue("Open")),
			Want:    scheduled{Asked: []string{"volcano-queue default"}, Said: plantest.Refused(subject.Mistake, rule.OnGrove, "spec.components")},
		},
		"Topology": {
			Reason:  "Grove's backend for Volcano refuses constraints.",
			Request: plantest.Request(plantest.Graph(plantest.Placed("rack", "", "")), all, plantest.WithTopologyBindings(true), plantest.WithTopology(), byVolcano(""), plantest.WithVolcanoQueue("Open")),
			Want:    scheduled{Asked: []string{"volcano-queue default"}, Said: plantest.Refused(subject.Mistake, rule.Topology, "spec.topologyConstraint")},
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
	compare(t, map[string]whole.Row[scheduled]{
		"AtRest": {
			Reason:  "A queue that pods are in is not looked up: Volcano writes to it whenever it places a pod of any graph.",
			Request: plantest.Request(xr, all, byVolcano(""), live),
			Want:    scheduled{Queue: condition.ReasonQueueFound, By: onGrove("volcano", "")},
		},
		"TurnedOff": {
			Reason:  "Grove refuses to change the scheduler of a clique.",
			Request: plantest.Request(xr, all, live),
			Want:    scheduled{Said: plantest.Warned(rule.Scheduling, ""), Queue: condition.ReasonQueueFound, By: onGrove("volcano", "")},
		},
		"TurnedOnBesideKAI": {
			Reason:  "A graph on KAI stays on KAI.",
			Request: plantest.Request(xr, all, byVolcano(""), plantest.WithObserved("podcliqueset", observedOnKAI())),
			Want:    scheduled{Said: plantest.Warned(rule.Scheduling, ""), Queue: condition.ReasonQueueFound, By: onGrove("kai-scheduler", "dynamo")},
		},
		"TurnedOn": {
			Reason:  "A graph on the scheduler of the cluster stays there.",
			Request: plantest.Request(xr, plantest.WithGroups("grove", "volcano"), byVolcano(""), plantest.WithObserved("podcliqueset", plantest.FrontendSet())),
			Want:    scheduled{Said: plantest.Warned(rule.Scheduling, ""), Queue: condition.ReasonQueueNotNeeded},
		},
		"OtherQueueOfPlatform": {
			Reason:  "Pods stay in their queue when the platform has another one.",
			Request: plantest.Request(xr, all, byVolcano("shared"), live),
			Want:    scheduled{Said: plantest.Warned(rule.Queues, ""), Queue: condition.ReasonQueueFound, By: onGrove("volcano", "")},
		},
		"OtherQueueOfGraph": {
			Reason:  "The user moves the graph to another queue, once that is open.",
			Request: plantest.Request(plantest.Graph(plantest.Frontend, inTeamA), all, byVolcano(""), live, plantest.WithVolcanoQueue("Open")),
			Want:    scheduled{Asked: []string{"volcano-queue team-a"}, Queue: condition.ReasonQueueFound, By: onGrove("volcano", "team-a")},
		},
		"OtherQueueMissing": {
			Reason:  "Grove would refuse the queue.",
			Request: plantest.Request(plantest.Graph(plantest.Frontend, inTeamA), all, byVolcano(""), live, plantest.WithoutObject("volcano-queue")),
			Want:    scheduled{Asked: []string{"volcano-queue team-a"}, Queue: condition.ReasonQueueNotFound, By: onGrove("volcano", "default"), Soon: true},
		},
		"Disabled": {
			Reason: "A graph on Volcano stays there while the cluster serves it.",
			Request: plantest.Request(xr, all, plantest.WithInput(inputv1alpha1.Policy{
				Grove: inputv1alpha1.Grove{Scheduler: inputv1alpha1.GroveSchedulerVolcano}, Volcano: inputv1alpha1.Volcano{Mode: inputv1alpha1.ModeDisabled},
			}), live),
			Want: scheduled{Said: plantest.Warned(rule.Scheduling, ""), Queue: condition.ReasonQueueFound, By: onGrove("volcano", "")},
		},
		"NamedByUser": {
			Reason:  "The scheduler that users name is not the platform's.",
			Request: plantest.Request(plantest.Graph(byUser), all, live),
			Want:    scheduled{Queue: condition.ReasonQueueFound, By: onGrove("volcano", "")},
		},
	})
}
