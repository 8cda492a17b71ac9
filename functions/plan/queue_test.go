package plan_test

import (
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step/steptest"
)

// groveOnKAI is the plan of a graph of one frontend in a queue.
func groveOnKAI(queue string) responseOption {
	return planOf(steptest.PlanOnGrove(plainServices("Frontend"), inQueue(queue)))
}

// groveWithoutKAI is the plan of a graph of one frontend.
func groveWithoutKAI() responseOption { return planOf(steptest.PlanOnGrove(plainServices("Frontend"))) }

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
	const (
		missing = `input.kai.queue: Invalid value: "dynamo": this KAI Queue does not exist; let the platform create it, ` +
			`or set kai.queue to another one in the input of step plan; a graph can specify its own in annotation nvidia.com/kai-scheduler-queue`
		missingNamed = `metadata.annotations[nvidia.com/kai-scheduler-queue]: Invalid value: "team-a": this KAI Queue does not exist; create it, ` +
			`specify another one, or remove the annotation to use the platform's default, which is dynamo`
	)
	compare(t, map[string]responseCase{
		"MissingOnCreation": {
			reason: "A new graph is refused when its queue does not exist, because no pod would ever be scheduled.",
			req:    plantest.Request(xr, plantest.WithGroups("grove", "kai"), plantest.WithoutObject("kai-queue")),
			want:   want(asksForGroups(), asksForQueue("dynamo"), refusal("NotSupportedHere", missing)),
		},
		"NamedMissingOnCreation": {
			reason: "Only the annotation that the user wrote is the user's mistake.",
			req:    plantest.Request(plantest.Graph(plantest.Frontend, plantest.Annotated("nvidia.com/kai-scheduler-queue", "team-a")), plantest.WithGroups("grove", "kai"), plantest.WithoutObject("kai-queue")),
			want:   want(asksForGroups(), asksForQueue("team-a"), refusal("Invalid", missingNamed)),
		},
		"Annotation": {
			reason: "The graph's annotation names the queue.",
			req: plantest.Request(plantest.Graph(plantest.Frontend, plantest.Annotated("nvidia.com/kai-scheduler-queue", "team-a")), plantest.WithGroups("grove", "kai"),
				plantest.WithKAIQueue()),
			want: want(asksForGroups(), asksForQueue("team-a"), accepted(), onGrove(),
				conditioned("QueueAvailable", isTrue, "QueueFound", "KAI Queue team-a existed when pods were added to it"),
				groveOnKAI("team-a")),
		},
		"Input": {
			reason: "Without the annotation, the platform's input names the queue.",
			req:    plantest.Request(xr, plantest.WithGroups("grove", "kai"), plantest.WithInput(inputv1alpha1.Policy{KAI: inputv1alpha1.KAI{Queue: "shared"}}), plantest.WithKAIQueue()),
			want: want(asksForGroups(), asksForQueue("shared"), accepted(), onGrove(),
				conditioned("QueueAvailable", isTrue, "QueueFound", "KAI Queue shared existed when pods were added to it"),
				groveOnKAI("shared")),
		},
		"NamedWithoutKAI": {
			reason: "Grove's backend for KAI refuses a PodCliqueSet without a queue, so a scheduler that users name needs one where the platform gives none.",
			req:    plantest.Request(plantest.Graph(plantest.Frontend, kaiNamed), plantest.WithGroups("grove")),
			want: want(asksForGroups(), refusal("NotSupportedHere", `spec.services[Frontend].extraPodSpec.schedulerName: Invalid value: "kai-scheduler": its pods would have no queue, because KAI `+
				`(API group scheduling.run.ai) is not installed, or kai.mode in the input of step plan is Disabled; remove the scheduler, or set label kai.scheduler/queue in extraPodMetadata.labels`)),
		},
		"NamedWithQueue": {
			reason: "A queue that users set on their pods is enough, because Grove reads it there.",
			req:    plantest.Request(plantest.Graph(plantest.Frontend, kaiNamed, kaiLabelled), plantest.WithGroups("grove")),
			want:   want(asksForGroups(), accepted(), onGrove(), noQueue(), groveWithoutKAI()),
		},
		"NotAName": {
			reason: "What cannot be a name is not looked up: the lookup would fail, and with it the message.",
			req:    plantest.Request(plantest.Graph(plantest.Frontend, plantest.Annotated("nvidia.com/kai-scheduler-queue", "a/b")), plantest.WithGroups("grove", "kai")),
			want: want(asksForGroups(), refusal("Invalid", `metadata.annotations[nvidia.com/kai-scheduler-queue]: Invalid value: "a/b": a lowercase RFC 1123 subdomain `+
				`must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character `+
				`(e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`)),
		},
	})
}

// TestQueueIsSticky shows that the pods of a graph stay in their queue of KAI.
func TestQueueIsSticky(t *testing.T) {
	const keeps = "kai.queue is shared in the input of step plan, which does not affect running graphs: this graph keeps dynamo; " +
		"to change it, delete and recreate the graph"
	const annotation = "nvidia.com/kai-scheduler-queue"
	live := func(queue string, more ...plantest.RequestOption) *fnv1.RunFunctionRequest {
		xr := plantest.Graph(plantest.Frontend)
		if queue != "" {
			plantest.Annotated(annotation, queue)(xr)
		}
		return plantest.Request(xr, append(more, plantest.WithObserved("podcliqueset", observedOnKAI()))...)
	}
	onKAI := plantest.WithGroups("grove", "kai")
	compare(t, map[string]responseCase{
		"AtRest": {
			reason: "A queue that pods are in is not looked up: KAI writes to it whenever it places a pod of any graph.",
			req:    live("", onKAI),
			want:   want(asksForGroups(), asksForChildren("frontend"), accepted(), onGrove(), queueFound(), groveOnKAI("dynamo")),
		},
		"InputChanged": {
			reason: "Another queue of the platform is for new graphs; a live one says what it keeps.",
			req:    live("", onKAI, plantest.WithInput(inputv1alpha1.Policy{KAI: inputv1alpha1.KAI{Queue: "shared"}})),
			want:   want(asksForGroups(), asksForChildren("frontend"), acceptedWith(keeps), onGrove(), queueFound(), groveOnKAI("dynamo"), warningResult(keeps)),
		},
		"InputChangedBefore": {
			reason: "A live graph says only once which queue it keeps, because Crossplane turns a result into an event on every call.",
			req: plantest.Request(plantest.Graph(plantest.Frontend, acceptedBefore(keeps)),
				onKAI, plantest.WithInput(inputv1alpha1.Policy{KAI: inputv1alpha1.KAI{Queue: "shared"}}), plantest.WithObserved("podcliqueset", observedOnKAI())),
			want: want(asksForGroups(), asksForChildren("frontend"), acceptedWith(keeps), onGrove(), queueFound(), groveOnKAI("dynamo")),
		},
		"NamedTheSame": {
			reason: "A graph may name the queue that it is in, whatever the platform has now.",
			req:    live("dynamo", onKAI, plantest.WithInput(inputv1alpha1.Policy{KAI: inputv1alpha1.KAI{Queue: "shared"}})),
			want:   want(asksForGroups(), asksForChildren("frontend"), accepted(), onGrove(), queueFound(), groveOnKAI("dynamo")),
		},
		"NamedAnother": {
			reason: "KAI keeps the queue of pods that run, so that another label would restart them for nothing.",
			req:    live("team-a", onKAI, plantest.WithKAIQueue()),
			want: want(asksForGroups(), asksForChildren("frontend"), refusal("ImmutableFieldChanged",
				`metadata.annotations[nvidia.com/kai-scheduler-queue]: Invalid value: "team-a": a running graph stays in its KAI Queue: its pods would be replaced, `+
					`and the scheduler would keep them in queue dynamo; set it to dynamo, or delete the graph and create it again`),
				unready("PodCliqueSet llama: Grove has not observed it yet")),
		},
	})
}

// TestSchedulerIsSticky shows that installing and removing KAI changes nothing for a graph that runs: Grove refuses to
// change the scheduler of a clique.
func TestSchedulerIsSticky(t *testing.T) {
	usersScheduler := func(c *grovev1alpha1.Clique) { c.Spec.PodSpec.SchedulerName = graphplan.KAIScheduler }
	xr := plantest.Graph(plantest.Frontend)
	compare(t, map[string]responseCase{
		"KAICameLater": {
			reason: "A graph without KAI stays without it when KAI is installed.",
			req:    plantest.Request(xr, plantest.WithGroups("grove", "kai"), plantest.WithObserved("podcliqueset", plantest.FrontendSet())),
			want:   want(asksForGroups(), asksForChildren("frontend"), accepted(), onGrove(), noQueue(), groveWithoutKAI()),
		},
		"KAIIsGone": {
			reason: "A graph on KAI stays on KAI when KAI is removed, and its queue must not be asked for, because the kind is not served.",
			req:    plantest.Request(xr, plantest.WithGroups("grove"), plantest.WithObserved("podcliqueset", observedOnKAI())),
			want: want(soon(), asksForGroups(), asksForChildren("frontend"), accepted(), onGrove(),
				conditioned("QueueAvailable", isFalse, "QueueNotFound",
					"KAI Queue dynamo cannot be looked up, because API group scheduling.run.ai is no longer served by the cluster; pods that are not scheduled yet are waiting for it"),
				groveOnKAI("dynamo")),
		},
		"UsersOwnScheduler": {
			reason: "A scheduler that the user named is no decision of ours.",
			req:    plantest.Request(xr, plantest.WithGroups("grove"), plantest.WithObserved("podcliqueset", plantest.PodCliqueSet(plantest.Clique("frontend", usersScheduler)))),
			want:   want(asksForGroups(), asksForChildren("frontend"), accepted(), onGrove(), noQueue(), groveWithoutKAI()),
		},
		"SetIsGone": {
			reason: "A PodCliqueSet that was deleted is created again, with the schedulers that are installed now.",
			req: plantest.Request(plantest.Graph(plantest.Frontend, plantest.RunningOn("Grove")), plantest.WithReferences(plantest.ReferenceToSet()),
				plantest.WithGroups("grove", "kai"), plantest.WithKAIQueue()),
			want: want(asksForGroups(), asksForQueue("dynamo"), accepted(), onGrove(), queueFound(), groveOnKAI("dynamo")),
		},
	})
}
