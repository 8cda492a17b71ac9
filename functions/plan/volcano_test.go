package plan

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
)

const (
	// byVolcano is the input of a platform whose pods on Grove Volcano schedules.
	byVolcano = `"grove":{"scheduler":"Volcano"}`

	// frontendOnVolcano names Volcano as its scheduler.
	frontendOnVolcano = `"Frontend":{"componentType":"frontend","extraPodSpec":{"schedulerName":"volcano","mainContainer":{"image":"registry.example.org/runtime:1.5.0"}}}`

	// observedOnVolcano is a PodCliqueSet whose pods are Volcano's.
	observedOnVolcano = `{"apiVersion":"grove.io/v1alpha1","kind":"PodCliqueSet","metadata":{"name":"llama"},"spec":{"replicas":1,"template":{"cliques":[
		{"name":"frontend","spec":{"replicas":1,"minAvailable":1,"podSpec":{"schedulerName":"volcano"}}}]}}}`
)

// volcanoPlan of a graph of one frontend on Grove, in a queue that is written.
func volcanoPlan(queue string) responseOption {
	if queue != "" {
		queue = `,"queue":"` + queue + `"`
	}
	return planOf(`{"version":2,"release":"development","orchestrator":"Grove","grove":{"terminationDelay":"15m0s","schedulerName":"volcano"` + queue + `},"totalGPUs":0,
		"services":{"Frontend":{"discovery":"kubernetes","dynamoNamespace":"inference-llama"}}}`)
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
	other := `"Other":{"extraPodSpec":{"schedulerName":"kai-scheduler","mainContainer":{"image":"registry.example.org/runtime:1.5.0","command":["/echo"]}}}`
	xr := plantest.GraphOf(plantest.SpecOf(plantest.Frontend))
	named := plantest.Annotated(plantest.SpecOf(plantest.Frontend), `{"nvidia.com/volcano-queue":" team-a "}`)
	all := plantest.WithGroups("grove", "kai", "volcano")
	compare(t, map[string]responseCase{
		"Platform": {
			reason: "Volcano schedules pods that name no scheduler, although KAI is installed. Grove's default queue is not written.",
			req:    plantest.Request(xr, all, withInput(byVolcano), withVolcanoQueue("Open")),
			want:   want(asksForGroups(), asksForVolcanoQueue("default"), accepted(), onGrove(), volcanoQueueFound("default"), volcanoPlan("")),
		},
		"Components": {
			reason: "Graphs in v1beta1 get the same.",
			req: plantest.Request(plantest.Annotated(`{"components":[{"name":"Frontend","type":"frontend","podTemplate":{"spec":{"containers":[
				{"name":"main","image":"registry.example.org/runtime:1.5.0"}]}}}]}`, `{"nvidia.com/volcano-queue":"team-a"}`), all, withInput(byVolcano), withVolcanoQueue("Open")),
			want: want(asksForGroups(), asksForVolcanoQueue("team-a"), accepted(), onGrove(), volcanoQueueFound("team-a"), volcanoPlan("team-a")),
		},
		"QueueOfPlatform": {
			reason: "The queue of the platform is for graphs that name none.",
			req:    plantest.Request(xr, all, withInput(byVolcano+`,"volcano":{"queue":"shared"}`), withVolcanoQueue("Open")),
			want:   want(asksForGroups(), asksForVolcanoQueue("shared"), accepted(), onGrove(), volcanoQueueFound("shared"), volcanoPlan("shared")),
		},
		"QueueOfGraph": {
			reason: "A graph names its queue, with spaces around it as with the operator.",
			req:    plantest.Request(named, all, withInput(byVolcano+`,"volcano":{"queue":"shared"}`), withVolcanoQueue("Open")),
			want:   want(asksForGroups(), asksForVolcanoQueue("team-a"), accepted(), onGrove(), volcanoQueueFound("team-a"), volcanoPlan("team-a")),
		},
		"QueueOfSpec": {
			reason: "An annotation for Grove itself takes precedence, and is not looked up.",
			req: plantest.Request(plantest.GraphOf(`{"annotations":{"scheduling.grove.io/volcano-queue":"mine"},"services":{`+plantest.Frontend+`}}`),
				all, withInput(byVolcano+`,"volcano":{"queue":"shared"}`)),
			want: want(asksForGroups(), accepted(), onGrove(), noQueue(), volcanoPlan("")),
		},
		"QueueMissing": {
			reason: "Grove would refuse a queue that does not exist.",
			req:    plantest.Request(xr, all, withInput(byVolcano), withoutObject("volcano-queue")),
			want:   want(asksForGroups(), asksForVolcanoQueue("default"), refusal("NotSupportedHere", missing)),
		},
		"QueueClosed": {
			reason: "Grove would refuse a queue that is not open.",
			req:    plantest.Request(named, all, withInput(byVolcano), withVolcanoQueue("Closed")),
			want:   want(asksForGroups(), asksForVolcanoQueue("team-a"), refusal("Invalid", closed)),
		},
		"Unserved": {
			reason: "Without Volcano, no pod would ever be scheduled.",
			req:    plantest.Request(xr, plantest.WithGroups("grove", "kai"), withInput(byVolcano)),
			want:   want(asksForGroups(), refusal("NotSupportedHere", unserved)),
		},
		"NamedByUser": {
			reason: "Volcano schedules pods that name it, in a queue that exists.",
			req:    plantest.Request(plantest.GraphOf(plantest.SpecOf(frontendOnVolcano)), all, withVolcanoQueue("Open")),
			want:   want(asksForGroups(), asksForVolcanoQueue("default"), accepted(), onGrove(), volcanoQueueFound("default"), volcanoPlan("")),
		},
		"NamedByUserAndUnserved": {
			reason: "A scheduler that users name may be any that they call volcano.",
			req:    plantest.Request(plantest.Annotated(plantest.SpecOf(frontendOnVolcano), `{"nvidia.com/volcano-queue":"team-a"}`), plantest.WithGroups("grove")),
			want:   want(asksForGroups(), accepted(), onGrove(), noQueue(), volcanoPlan("team-a")),
		},
		"OtherNamedByUser": {
			reason: "Where all pods name another scheduler, that of the platform has no effect.",
			req: plantest.Request(plantest.GraphOf(plantest.SpecOf(`"Frontend":{"componentType":"frontend","extraPodSpec":{"schedulerName":"mine","mainContainer":{"image":"registry.example.org/runtime:1.5.0"}}}`)),
				plantest.WithGroups("grove"), withInput(byVolcano)),
			want: want(asksForGroups(), accepted(), onGrove(), noQueue(), planOf(groveWithoutKAI)),
		},
		"Mixed": {
			reason: "Grove refuses a set with two schedulers.",
			req:    plantest.Request(plantest.GraphOf(plantest.SpecOf(plantest.Frontend, other)), all, withInput(byVolcano), withVolcanoQueue("Open")),
			want:   want(asksForGroups(), asksForVolcanoQueue("default"), refusal("Invalid", mixed)),
		},
		"Topology": {
			reason: "Grove's backend for Volcano refuses constraints.",
			req:    plantest.Request(plantest.GraphOf(placed("rack", "", "")), all, withSchema(true), withTopology(), withInput(byVolcano), withVolcanoQueue("Open")),
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
	xr := plantest.GraphOf(plantest.SpecOf(plantest.Frontend))
	live := plantest.WithObserved("podcliqueset", observedOnVolcano)
	all := plantest.WithGroups("grove", "kai", "volcano")
	compare(t, map[string]responseCase{
		"AtRest": {
			reason: "A queue that pods are in is not looked up: Volcano writes to it whenever it places a pod of any graph.",
			req:    plantest.Request(xr, all, withInput(byVolcano), live),
			want:   want(asksForGroups(), asksForChildren("frontend"), accepted(), onGrove(), volcanoQueueFound("default"), volcanoPlan("")),
		},
		"TurnedOff": {
			reason: "Grove refuses to change the scheduler of a clique.",
			req:    plantest.Request(xr, all, live),
			want:   want(asksForGroups(), asksForChildren("frontend"), acceptedWith(onVolcano), onGrove(), volcanoQueueFound("default"), volcanoPlan(""), warningResult(onVolcano)),
		},
		"TurnedOnBesideKAI": {
			reason: "A graph on KAI stays on KAI.",
			req:    plantest.Request(xr, all, withInput(byVolcano), plantest.WithObserved("podcliqueset", observedOnKAI)),
			want:   want(asksForGroups(), asksForChildren("frontend"), acceptedWith(onKAI), onGrove(), queueFound(), planOf(groveOnKAI), warningResult(onKAI)),
		},
		"TurnedOn": {
			reason: "A graph on the scheduler of the cluster stays there.",
			req:    plantest.Request(xr, plantest.WithGroups("grove", "volcano"), withInput(byVolcano), plantest.WithObserved("podcliqueset", plantest.PodCliqueSet)),
			want:   want(asksForGroups(), asksForChildren("frontend"), acceptedWith(onDefault), onGrove(), noQueue(), planOf(groveWithoutKAI), warningResult(onDefault)),
		},
		"OtherQueueOfPlatform": {
			reason: "Pods stay in their queue when the platform has another one.",
			req:    plantest.Request(xr, all, withInput(byVolcano+`,"volcano":{"queue":"shared"}`), live),
			want:   want(asksForGroups(), asksForChildren("frontend"), acceptedWith(inDefault), onGrove(), volcanoQueueFound("default"), volcanoPlan(""), warningResult(inDefault)),
		},
		"OtherQueueOfGraph": {
			reason: "The user moves the graph to another queue, once that is open.",
			req:    plantest.Request(plantest.Annotated(plantest.SpecOf(plantest.Frontend), `{"nvidia.com/volcano-queue":"team-a"}`), all, withInput(byVolcano), live, withVolcanoQueue("Open")),
			want:   want(asksForGroups(), asksForVolcanoQueue("team-a"), asksForChildren("frontend"), accepted(), onGrove(), volcanoQueueFound("team-a"), volcanoPlan("team-a")),
		},
		"OtherQueueMissing": {
			reason: "Grove would refuse the queue.",
			req:    plantest.Request(plantest.Annotated(plantest.SpecOf(plantest.Frontend), `{"nvidia.com/volcano-queue":"team-a"}`), all, withInput(byVolcano), live, withoutObject("volcano-queue")),
			want: want(soon(), asksForGroups(), asksForVolcanoQueue("team-a"), asksForChildren("frontend"), accepted(), onGrove(),
				volcanoQueue("QueueNotFound", "Volcano Queue team-a of annotation nvidia.com/volcano-queue does not exist; the graph stays in queue default until then"), volcanoPlan("default")),
		},
		"Disabled": {
			reason: "A graph on Volcano stays there while the cluster serves it.",
			req:    plantest.Request(xr, all, withInput(byVolcano+`,"volcano":{"mode":"Disabled"}`), live),
			want:   want(asksForGroups(), asksForChildren("frontend"), acceptedWith(disabled), onGrove(), volcanoQueueFound("default"), volcanoPlan(""), warningResult(disabled)),
		},
		"NamedByUser": {
			reason: "The scheduler that users name is not the platform's.",
			req:    plantest.Request(plantest.GraphOf(plantest.SpecOf(frontendOnVolcano)), all, live),
			want:   want(asksForGroups(), asksForChildren("frontend"), accepted(), onGrove(), volcanoQueueFound("default"), volcanoPlan("")),
		},
	})
}
