package plan_test

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step/steptest"
)

// byVolcano is the input of a platform whose pods on Grove Volcano schedules, in a queue unless it is empty.
func byVolcano(queue string) plantest.RequestOption {
	return plantest.WithInput(inputv1alpha1.Policy{
		Grove: inputv1alpha1.Grove{Scheduler: inputv1alpha1.GroveSchedulerVolcano}, Volcano: inputv1alpha1.Volcano{Queue: queue},
	})
}

// scheduledBy names the scheduler of the pods of a service.
func scheduledBy(scheduler string) plantest.ServiceChange {
	return func(s *v1alpha1.Service) { s.ExtraPodSpec.SchedulerName = scheduler }
}

// observedOnVolcano is a PodCliqueSet whose pods are Volcano's.
func observedOnVolcano() *grovev1alpha1.PodCliqueSet {
	return plantest.PodCliqueSet(plantest.Clique("frontend", func(c *grovev1alpha1.Clique) { c.Spec.PodSpec.SchedulerName = "volcano" }))
}

// volcanoPlan of a graph of one frontend on Grove, in a queue that is written.
func volcanoPlan(queue string) responseOption {
	return planOf(steptest.PlanOnGrove(plainServices("Frontend"), func(p *graphplan.Plan) {
		p.Grove.SchedulerName, p.Grove.Queue = graphplan.VolcanoScheduler, queue
	}))
}

// TestVolcanoOnGrove shows which new graphs Volcano schedules, and in which queue.
func TestVolcanoOnGrove(t *testing.T) {
	const (
		missing = `input.volcano.queue: Invalid value: "default": this Volcano Queue does not exist; let the platform create it, ` +
			`or set volcano.queue to another one in the input of step plan; a graph can specify its own in annotation nvidia.com/volcano-queue`
		closed = `metadata.annotations[nvidia.com/volcano-queue]: Invalid value: "team-a": this Volcano Queue is not open; open it, ` +
			`specify another one, or remove the annotation to use the platform's default, which is default`
		unserved = `input.grove.scheduler: Invalid value: "Volcano": Volcano (API group scheduling.volcano.sh) is not installed; ` +
			`let the platform install it, or set grove.scheduler to Auto in the input of step plan`
		mixed = "spec.services: Forbidden: all services of a graph must have the same scheduler on Grove, but kai-scheduler is used by Other and volcano is used by Frontend; " +
			"set the same extraPodSpec.schedulerName for all services, or for none"
	)
	other := plantest.Service("Other", plantest.ServiceOf("", "/echo"), scheduledBy("kai-scheduler"))
	xr := plantest.Graph(plantest.Frontend)
	inSpec := func(xr *v1alpha1.DynamoGraphDeployment) {
		xr.Spec.Annotations = map[string]string{"scheduling.grove.io/volcano-queue": "mine"}
	}
	named := plantest.Graph(plantest.Frontend, plantest.Annotated("nvidia.com/volcano-queue", " team-a "))
	all := plantest.WithGroups("grove", "kai", "volcano")
	inTeamA := plantest.Annotated("nvidia.com/volcano-queue", "team-a")
	byUser := plantest.Service("Frontend", plantest.ServiceOf("frontend"), scheduledBy("volcano"))
	compare(t, map[string]responseCase{
		"Platform": {
			reason: "Volcano schedules pods that name no scheduler, although KAI is installed. Grove's default queue is not written.",
			req:    plantest.Request(xr, all, byVolcano(""), plantest.WithVolcanoQueue("Open")),
			want:   want(asksForGroups(), asksForVolcanoQueue("default"), accepted(), onGrove(), volcanoQueueFound("default"), volcanoPlan("")),
		},
		"Components": {
			reason: "Graphs in v1beta1 get the same.",
			req: plantest.Request(`{"apiVersion":"nvidia.com/v1beta1","kind":"DynamoGraphDeployment","metadata":{"name":"llama","namespace":"inference","annotations":{"nvidia.com/volcano-queue":"team-a"}},
				"spec":{"components":[{"name":"Frontend","type":"frontend","podTemplate":{"spec":{"containers":[{"name":"main","image":"registry.example.org/runtime:1.4.0"}]}}}]}}`, all, byVolcano(""), plantest.WithVolcanoQueue("Open")),
			want: want(asksForGroups(), asksForVolcanoQueue("team-a"), accepted(), onGrove(), volcanoQueueFound("team-a"), volcanoPlan("team-a")),
		},
		"QueueOfPlatform": {
			reason: "The queue of the platform is for graphs that name none.",
			req:    plantest.Request(xr, all, byVolcano("shared"), plantest.WithVolcanoQueue("Open")),
			want:   want(asksForGroups(), asksForVolcanoQueue("shared"), accepted(), onGrove(), volcanoQueueFound("shared"), volcanoPlan("shared")),
		},
		"QueueOfGraph": {
			reason: "A graph names its queue, with spaces around it as with the operator.",
			req:    plantest.Request(named, all, byVolcano("shared"), plantest.WithVolcanoQueue("Open")),
			want:   want(asksForGroups(), asksForVolcanoQueue("team-a"), accepted(), onGrove(), volcanoQueueFound("team-a"), volcanoPlan("team-a")),
		},
		"QueueOfSpec": {
			reason: "An annotation for Grove itself takes precedence, and is not looked up.",
			req: plantest.Request(plantest.Graph(plantest.Frontend, inSpec),
				all, byVolcano("shared")),
			want: want(asksForGroups(), accepted(), onGrove(), noQueue(), volcanoPlan("")),
		},
		"QueueMissing": {
			reason: "Grove would refuse a queue that does not exist.",
			req:    plantest.Request(xr, all, byVolcano(""), plantest.WithoutObject("volcano-queue")),
			want:   want(asksForGroups(), asksForVolcanoQueue("default"), refusal("NotSupportedHere", missing)),
		},
		"QueueClosed": {
			reason: "Grove would refuse a queue that is not open.",
			req:    plantest.Request(named, all, byVolcano(""), plantest.WithVolcanoQueue("Closed")),
			want:   want(asksForGroups(), asksForVolcanoQueue("team-a"), refusal("Invalid", closed)),
		},
		"Unserved": {
			reason: "Without Volcano, no pod would ever be scheduled.",
			req:    plantest.Request(xr, plantest.WithGroups("grove", "kai"), byVolcano("")),
			want:   want(asksForGroups(), refusal("NotSupportedHere", unserved)),
		},
		"NamedByUser": {
			reason: "Volcano schedules pods that name it, in a queue that exists.",
			req:    plantest.Request(plantest.Graph(byUser), all, plantest.WithVolcanoQueue("Open")),
			want:   want(asksForGroups(), asksForVolcanoQueue("default"), accepted(), onGrove(), volcanoQueueFound("default"), volcanoPlan("")),
		},
		"NamedByUserAndUnserved": {
			reason: "A scheduler that users name may be any that they call volcano.",
			req:    plantest.Request(plantest.Graph(byUser, inTeamA), plantest.WithGroups("grove")),
			want:   want(asksForGroups(), accepted(), onGrove(), noQueue(), volcanoPlan("team-a")),
		},
		"OtherNamedByUser": {
			reason: "Where all pods name another scheduler, that of the platform has no effect.",
			req: plantest.Request(plantest.Graph(plantest.Frontend, plantest.Changed("Frontend", scheduledBy("mine"))),
				plantest.WithGroups("grove"), byVolcano("")),
			want: want(asksForGroups(), accepted(), onGrove(), noQueue(), groveWithoutKAI()),
		},
		"Mixed": {
			reason: "Grove refuses a set with two schedulers.",
			req:    plantest.Request(plantest.Graph(plantest.Frontend, other), all, byVolcano(""), plantest.WithVolcanoQueue("Open")),
			want:   want(asksForGroups(), asksForVolcanoQueue("default"), refusal("Invalid", mixed)),
		},
		"Topology": {
			reason: "Grove's backend for Volcano refuses constraints.",
			req:    plantest.Request(plantest.Graph(placed("rack", "", "")), all, plantest.WithTopologyBindings(true), plantest.WithTopology(), byVolcano(""), plantest.WithVolcanoQueue("Open")),
			want: want(asksForGroups(), asksForVolcanoQueue("default"), asksForSchema(), asksForTopology("ClusterTopologyBinding"), refusal("Invalid",
				"spec.topologyConstraint: Forbidden: topology constraints on Grove require the KAI scheduler, but Volcano schedules the pods; remove the constraints, or set extraPodSpec.schedulerName: kai-scheduler for all services")),
		},
	})
}

// TestVolcanoOnGroveIsSticky shows that a live graph keeps its scheduler and its queue, whatever the platform says now.
func TestVolcanoOnGroveIsSticky(t *testing.T) {
	keeps := func(setting, value, current, remedy string) string {
		return setting + " is " + value + " in the input of step plan, which does not affect running graphs: this graph keeps " + current + "; to change it, " + remedy
	}
	const recreate = "delete and recreate the graph"
	onVolcano := keeps("grove.scheduler", "Auto", "volcano", recreate)
	onKAI := keeps("grove.scheduler", "Volcano", "kai-scheduler", recreate)
	onDefault := keeps("grove.scheduler", "Volcano", "the scheduler that its pods have", recreate)
	inDefault := keeps("volcano.queue", "shared", "default", "set annotation nvidia.com/volcano-queue to shared")
	disabled := keeps("volcano.mode", "Disabled", "volcano", recreate)
	xr := plantest.Graph(plantest.Frontend)
	live := plantest.WithObserved("podcliqueset", observedOnVolcano())
	all := plantest.WithGroups("grove", "kai", "volcano")
	inTeamA := plantest.Annotated("nvidia.com/volcano-queue", "team-a")
	byUser := plantest.Service("Frontend", plantest.ServiceOf("frontend"), scheduledBy("volcano"))
	compare(t, map[string]responseCase{
		"AtRest": {
			reason: "A queue that pods are in is not looked up: Volcano writes to it whenever it places a pod of any graph.",
			req:    plantest.Request(xr, all, byVolcano(""), live),
			want:   want(asksForGroups(), asksForChildren("frontend"), accepted(), onGrove(), volcanoQueueFound("default"), volcanoPlan("")),
		},
		"TurnedOff": {
			reason: "Grove refuses to change the scheduler of a clique.",
			req:    plantest.Request(xr, all, live),
			want:   want(asksForGroups(), asksForChildren("frontend"), acceptedWith(onVolcano), onGrove(), volcanoQueueFound("default"), volcanoPlan(""), warningResult(onVolcano)),
		},
		"TurnedOnBesideKAI": {
			reason: "A graph on KAI stays on KAI.",
			req:    plantest.Request(xr, all, byVolcano(""), plantest.WithObserved("podcliqueset", observedOnKAI())),
			want:   want(asksForGroups(), asksForChildren("frontend"), acceptedWith(onKAI), onGrove(), queueFound(), groveOnKAI("dynamo"), warningResult(onKAI)),
		},
		"TurnedOn": {
			reason: "A graph on the scheduler of the cluster stays there.",
			req:    plantest.Request(xr, plantest.WithGroups("grove", "volcano"), byVolcano(""), plantest.WithObserved("podcliqueset", plantest.FrontendSet())),
			want:   want(asksForGroups(), asksForChildren("frontend"), acceptedWith(onDefault), onGrove(), noQueue(), groveWithoutKAI(), warningResult(onDefault)),
		},
		"OtherQueueOfPlatform": {
			reason: "Pods stay in their queue when the platform has another one.",
			req:    plantest.Request(xr, all, byVolcano("shared"), live),
			want:   want(asksForGroups(), asksForChildren("frontend"), acceptedWith(inDefault), onGrove(), volcanoQueueFound("default"), volcanoPlan(""), warningResult(inDefault)),
		},
		"OtherQueueOfGraph": {
			reason: "The user moves the graph to another queue, once that is open.",
			req:    plantest.Request(plantest.Graph(plantest.Frontend, inTeamA), all, byVolcano(""), live, plantest.WithVolcanoQueue("Open")),
			want:   want(asksForGroups(), asksForVolcanoQueue("team-a"), asksForChildren("frontend"), accepted(), onGrove(), volcanoQueueFound("team-a"), volcanoPlan("team-a")),
		},
		"OtherQueueMissing": {
			reason: "Grove would refuse the queue.",
			req:    plantest.Request(plantest.Graph(plantest.Frontend, inTeamA), all, byVolcano(""), live, plantest.WithoutObject("volcano-queue")),
			want: want(soon(), asksForGroups(), asksForVolcanoQueue("team-a"), asksForChildren("frontend"), accepted(), onGrove(),
				volcanoQueue("QueueNotFound", "Volcano Queue team-a of annotation nvidia.com/volcano-queue does not exist; the graph stays in queue default until then"), volcanoPlan("default")),
		},
		"Disabled": {
			reason: "A graph on Volcano stays there while the cluster serves it.",
			req: plantest.Request(xr, all, plantest.WithInput(inputv1alpha1.Policy{
				Grove: inputv1alpha1.Grove{Scheduler: inputv1alpha1.GroveSchedulerVolcano}, Volcano: inputv1alpha1.Volcano{Mode: inputv1alpha1.ModeDisabled},
			}), live),
			want: want(asksForGroups(), asksForChildren("frontend"), acceptedWith(disabled), onGrove(), volcanoQueueFound("default"), volcanoPlan(""), warningResult(disabled)),
		},
		"NamedByUser": {
			reason: "The scheduler that users name is not the platform's.",
			req:    plantest.Request(plantest.Graph(byUser), all, live),
			want:   want(asksForGroups(), asksForChildren("frontend"), accepted(), onGrove(), volcanoQueueFound("default"), volcanoPlan("")),
		},
	})
}
