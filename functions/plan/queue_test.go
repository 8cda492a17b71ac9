package plan

import (
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/steptest"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
)

// groveOnKAI is the plan of a graph of one frontend in a queue.
func groveOnKAI(queue string) responseOption {
	return planOf(steptest.PlanOnGrove(plainServices("Frontend"), inQueue(queue)))
}

// groveWithoutKAI is the plan of a graph of one frontend.
func groveWithoutKAI() responseOption { return planOf(steptest.PlanOnGrove(plainServices("Frontend"))) }

// observedOnKAI is a PodCliqueSet whose pods are KAI's.
func observedOnKAI() *grovev1alpha1.PodCliqueSet {
	return plantest.PodCliqueSet(plantest.Clique("frontend", kaiClique))
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
			req:    plantest.Request(xr, plantest.WithGroups("grove", "kai"), withoutObject("kai-queue")),
			want:   want(asksForGroups(), asksForQueue("dynamo"), refusal("NotSupportedHere", missing)),
		},
		"NamedMissingOnCreation": {
			reason: "Only the annotation that the user wrote is the user's mistake.",
			req:    plantest.Request(plantest.Graph(plantest.Frontend, plantest.Annotated("nvidia.com/kai-scheduler-queue", "team-a")), plantest.WithGroups("grove", "kai"), withoutObject("kai-queue")),
			want:   want(asksForGroups(), asksForQueue("team-a"), refusal("Invalid", missingNamed)),
		},
		"Annotation": {
			reason: "The graph's annotation names the queue.",
			req: plantest.Request(plantest.Graph(plantest.Frontend, plantest.Annotated("nvidia.com/kai-scheduler-queue", "team-a")), plantest.WithGroups("grove", "kai"),
				withQueue()),
			want: want(asksForGroups(), asksForQueue("team-a"), accepted(), onGrove(),
				conditioned("QueueAvailable", isTrue, "QueueFound", "KAI Queue team-a existed when pods were added to it"),
				groveOnKAI("team-a")),
		},
		"Input": {
			reason: "Without the annotation, the platform's input names the queue.",
			req:    plantest.Request(xr, plantest.WithGroups("grove", "kai"), plantest.WithInput(inputv1alpha1.Policy{KAI: inputv1alpha1.KAI{Queue: "shared"}}), withQueue()),
			want: want(asksForGroups(), asksForQueue("shared"), accepted(), onGrove(),
				conditioned("QueueAvailable", isTrue, "QueueFound", "KAI Queue shared existed when pods were added to it"),
				groveOnKAI("shared")),
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

// TestQueueIsSticky shows that the pods of a graph leave their queue only for one that its user names and that exists.
func TestQueueIsSticky(t *testing.T) {
	const keeps = "kai.queue is shared in the input of step plan, which does not affect running graphs: this graph keeps dynamo; " +
		"to change it, set annotation nvidia.com/kai-scheduler-queue to shared, which restarts the pods"
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
			reason: "The user moves the graph to another queue.",
			req:    live("team-a", onKAI, withQueue()),
			want: want(asksForGroups(), asksForQueue("team-a"), asksForChildren("frontend"), accepted(), onGrove(),
				conditioned("QueueAvailable", isTrue, "QueueFound", "KAI Queue team-a existed when pods were added to it"), groveOnKAI("team-a")),
		},
		"NamedMissing": {
			reason: "Pods in a queue that does not exist would be replaced and never scheduled again.",
			req:    live("team-a", onKAI, withoutObject("kai-queue")),
			want: want(soon(), asksForGroups(), asksForQueue("team-a"), asksForChildren("frontend"), accepted(), onGrove(),
				conditioned("QueueAvailable", isFalse, "QueueNotFound",
					"KAI Queue team-a of annotation nvidia.com/kai-scheduler-queue does not exist; the graph stays in queue dynamo until then"), groveOnKAI("dynamo")),
		},
		"NamedNotLookedUp": {
			reason: "Nothing is decided before the queue is looked up.",
			req:    live("team-a", onKAI),
			want:   want(asksForGroups(), asksForQueue("team-a"), asksForChildren("frontend")),
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
			req: plantest.Request(plantest.Graph(plantest.Frontend, plantest.RunningOn("Grove")), plantest.WithReferences(referenceToSet()),
				plantest.WithGroups("grove", "kai"), withQueue()),
			want: want(asksForGroups(), asksForQueue("dynamo"), accepted(), onGrove(), queueFound(), groveOnKAI("dynamo")),
		},
	})
}
