package plan_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// creatingClaim lists claim cache, which the graph creates.
func creatingClaim(xr *v1alpha1.DynamoGraphDeployment) {
	xr.Spec.PVCs = []v1alpha1.PVC{{
		Name: "cache", Create: new(true), Size: resource.MustParse("1Gi"), StorageClass: "fast", VolumeAccessMode: corev1.ReadWriteMany,
	}}
}

// withClaim cache, which the planned graph composes.
func withClaim(p *graphplan.Plan) { p.ComposedPVCs = []string{"cache"} }

// TestRequirements follows one graph through the calls of one reconcile: a Fatal, or a plan that rests on what is not
// known yet, would end Crossplane's lookup.
func TestRequirements(t *testing.T) {
	xr := plantest.Graph(plantest.Frontend, plantest.InTopology("my-topology", "zone"), creatingClaim)
	compare(t, map[string]responseCase{
		"NothingDelivered": {
			reason: "The first call asks which API groups are installed, and says nothing else.",
			req:    plantest.Request(xr),
			want:   want(asksForGroups()),
		},
		"CallerWithoutCapabilities": {
			reason: "A caller that advertises no capabilities gets the requirements in the older field.",
			req:    plantest.Request(xr, plantest.WithoutCapabilities()),
			want:   want(asksForGroups(), inOlderField()),
		},
		"SomeDelivered": {
			reason: "What is delivered is asked for again, so that the requirements come to rest.",
			req:    plantest.Request(xr, plantest.WithGroups("grove"), func(req *fnv1.RunFunctionRequest) { delete(req.GetRequiredResources(), "apiservice-kai") }),
			want:   want(asksForGroups()),
		},
		"GroupsDelivered": {
			reason: "Objects of installed groups are asked for once the groups are known, and so are claims, which may belong to another owner.",
			req:    plantest.Request(xr, plantest.WithGroups("grove", "kai")),
			want:   want(asksForGroups(), asksForQueue("dynamo"), asksForPVC(), asksForSchema()),
		},
		"SchemaDelivered": {
			reason: "The topology is asked for once the schema tells its kind.",
			req:    plantest.Request(xr, plantest.WithGroups("grove", "kai"), plantest.WithKAIQueue(), plantest.WithoutObject("pvc-cache"), plantest.WithTopologyBindings(true)),
			want:   want(asksForGroups(), asksForQueue("dynamo"), asksForPVC(), asksForSchema(), asksForTopology("ClusterTopologyBinding")),
		},
		"AllDelivered": {
			reason: "There is a plan once everything is delivered.",
			req: plantest.Request(xr, plantest.WithGroups("grove", "kai"), plantest.WithKAIQueue(), plantest.WithoutObject("pvc-cache"), plantest.WithTopologyBindings(true),
				plantest.WithTopology()),
			want: want(asksForGroups(), asksForQueue("dynamo"), asksForPVC(), asksForSchema(), asksForTopology("ClusterTopologyBinding"),
				accepted(), onGrove(), queueFound(),
				planOf(steptest.PlanOnGrove(plainComponents("Frontend"), inQueue("dynamo"), withClaim, func(p *graphplan.Plan) {
					frontend := p.Components["Frontend"]
					frontend.Queue = &graphplan.Queue{Name: "dynamo", Setting: "the default of kai.queue"}
					p.Components["Frontend"] = frontend
					p.Topology = &graphplan.Topology{Name: "my-topology", Dialect: graphplan.DialectPack}
				}))),
		},
		"KindsThatAreNotInstalled": {
			reason: "An object of a kind that is not installed must never be asked for: Crossplane would fail.",
			req:    plantest.Request(plantest.Graph(plantest.Frontend), plantest.WithGroups()),
			want: want(asksForGroups(), accepted(),
				conditioned("OrchestratorSelected", isTrue, "Selected", "Deployment runs the graph: Grove is not installed, and no service spans several nodes"),
				noQueue(),
				planOf(steptest.PlanOnDeployments(plainComponents("Frontend")))),
		},
		"ModesFromTheInput": {
			reason: "What the platform says is not looked up.",
			req: plantest.Request(plantest.Graph(plantest.Frontend, plantest.Worker), plantest.WithInput(inputv1alpha1.Policy{
				Grove: inputv1alpha1.Grove{Mode: inputv1alpha1.ModeEnabled}, KAI: inputv1alpha1.KAI{Mode: inputv1alpha1.ModeDisabled},
				LWS: inputv1alpha1.LWS{Mode: inputv1alpha1.ModeDisabled}, Volcano: inputv1alpha1.Volcano{Mode: inputv1alpha1.ModeEnabled},
			}), plantest.WithoutPolicy),
			want: want(asksForPolicy("dynamo"), accepted(), onGrove(), noQueue(), planOf(steptest.PlanOnGrove(workerAnd(graphplan.Component{Framework: v1alpha1.BackendVLLM}, "Frontend"), withGPUTotal(1)))),
		},
	})
}

// TestInvalidGraph shows what a user sees of a graph that is refused.
func TestInvalidGraph(t *testing.T) {
	reconciled := plantest.RunningOn("",
		metav1.Condition{Type: "Synced", Status: metav1.ConditionTrue, Reason: "ReconcileSuccess"},
		metav1.Condition{Type: "Ready", Status: metav1.ConditionTrue, Reason: "Available"},
		metav1.Condition{Type: "Accepted", Status: metav1.ConditionTrue, Reason: "Valid"},
		metav1.Condition{Type: "OrchestratorSelected", Status: metav1.ConditionTrue, Reason: "Remembered", Message: "the graph has run on Grove since it was created"},
		metav1.Condition{Type: "QueueAvailable", Status: metav1.ConditionFalse, Reason: "QueueNotFound", Message: "no queue"},
		metav1.Condition{Type: "ServicesReady", Status: metav1.ConditionUnknown, Reason: "Waiting"},
		metav1.Condition{Type: "SomebodyElses", Status: metav1.ConditionTrue, Reason: "Fine"},
	)
	repeated := func(rsp *fnv1.RunFunctionResponse) {
		conditioned("OrchestratorSelected", isTrue, "Remembered", "the graph has run on Grove since it was created")(rsp)
		conditioned("QueueAvailable", isFalse, "QueueNotFound", "no queue")(rsp)
		conditioned("ServicesReady", isUnknown, "Waiting", "")(rsp)
		conditioned("SomebodyElses", isTrue, "Fine", "")(rsp)
	}
	bad := []plantest.GraphChange{
		plantest.Frontend, plantest.Component("Worker", plantest.ComponentOf("worker", "python3", "-m", "dynamo.sglang")),
		plantest.Component("A", plantest.ComponentOf("")), func(xr *v1alpha1.DynamoGraphDeployment) { xr.Spec.BackendFramework = v1alpha1.BackendVLLM },
	}
	const message = `spec.services[A].componentTyp: Invalid value: "worker": unknown field; did you mean "componentType"?` + "\n" +
		`spec.services[Worker].extraPodSpec.mainContainer: Invalid value: the command runs dynamo.sglang, but backendFramework is "vllm"; change one of the two`
	misspelt := plantest.WithMistake("A", "componentTyp", "worker")

	compare(t, map[string]responseCase{
		"AllMessagesAtOnce": {
			reason: "Everything that is wrong is said at once, in one condition and one Fatal, and there is no plan.",
			req:    plantest.Request(plantest.Graph(bad...), misspelt, plantest.WithGroups("grove")),
			want:   want(asksForGroups(), refusal("Invalid", message)),
		},
		"ConditionsAreRepeated": {
			reason: "Crossplane turns what is not returned beside a Fatal to Unknown, so every condition of a function is repeated but Accepted.",
			req:    plantest.Request(plantest.Graph(append(bad, reconciled)...), misspelt, plantest.WithGroups("grove")),
			want:   want(asksForGroups(), refusal("Invalid", message), repeated),
		},
		"BadInputOfTheComposition": {
			reason: "A mistake of the platform's is no mistake of the graph's: its conditions stay as they are.",
			req:    plantest.Request(plantest.Graph(plantest.Frontend, reconciled), plantest.WithGroups("grove"), plantest.WithInputText(`{"apiVersion":"plan.dynamo.nvidia.com/v1alpha1","kind":"Input","grove":{"mode":"On"},"colour":"green"}`)),
			want: want(
				fatalResult(`invalid input in the Composition: [input.colour: Invalid value: "green": unknown field; remove it, `+
					`input.grove.mode: Unsupported value: "On": supported values: "Auto", "Enabled", "Disabled"]`),
				conditioned("Accepted", isTrue, "Valid", ""), repeated),
		},
		"NoClaim": {
			reason: "A cluster-scoped composite resource without a claim is told so, though nothing of it can be looked up.",
			req: plantest.Request(plantest.Graph(plantest.Frontend, creatingClaim, func(xr *v1alpha1.DynamoGraphDeployment) {
				xr.Kind, xr.ObjectMeta = "XDynamoGraphDeployment", metav1.ObjectMeta{Name: "x"}
			}), plantest.WithGroups("grove")),
			want: want(asksForGroups(), refusal("Invalid", "spec.claimRef: Required value: a cluster-scoped XDynamoGraphDeployment gets its name and namespace from its claim; "+
				"create a DynamoGraphDeployment claim in a namespace instead")),
		},
		"UnreadableObservedState": {
			reason: "What is observed and cannot be read is no reason to forget it.",
			req:    plantest.Request(plantest.Graph(plantest.Frontend, reconciled), plantest.WithGroups("grove"), plantest.WithObserved("podcliqueset", `{"kind":"PodCliqueSet","spec":{"replicas":"one"}}`)),
			want: want(fatalResult("cannot read PodCliqueSet: spec.replicas: Invalid value: must be a whole number, not a string"),
				unready("PodCliqueSet : cannot be read: cannot read PodCliqueSet: spec.replicas: Invalid value: must be a whole number, not a string"),
				conditioned("Accepted", isTrue, "Valid", ""),
				conditioned("OrchestratorSelected", isTrue, "Remembered", "the graph has run on Grove since it was created"),
				conditioned("QueueAvailable", isFalse, "QueueNotFound", "no queue"),
				conditioned("SomebodyElses", isTrue, "Fine", "")),
		},
	})
}

// TestClaim shows that a graph of a claim is planned like one without a claim.
func TestClaim(t *testing.T) {
	compare(t, map[string]responseCase{
		"Claim": {
			reason: "A graph of a claim takes its name and namespace from the claim.",
			req: plantest.Request(plantest.Graph(plantest.Frontend, creatingClaim, func(xr *v1alpha1.DynamoGraphDeployment) {
				xr.ObjectMeta = metav1.ObjectMeta{Name: "llama-x7k2p"}
			}), plantest.OfClaim, plantest.WithGroups("grove"), plantest.WithoutObject("pvc-cache")),
			want: want(asksForGroups(), asksForPVC(), accepted(), onGrove(), noQueue(), planOf(steptest.PlanOnGrove(plainComponents("Frontend"), withClaim))),
		},
	})
}

// acceptedBefore is a graph that was accepted with a warning in an earlier reconcile.
func acceptedBefore(warning string) plantest.GraphChange {
	return plantest.RunningOn("", metav1.Condition{Type: "Accepted", Status: metav1.ConditionTrue, Reason: "ValidWithWarnings", Message: warning})
}

// TestWarnings shows when a user is warned.
func TestWarnings(t *testing.T) {
	const text = "spec.services[Worker]: tensor x pipeline x data parallel size is 3 x 1 x 1 = 3, but a replica has 2 GPUs; change the sizes or the GPUs so that they match"
	worker := plantest.Component("Worker", plantest.ComponentOf("worker", "python3", "-m", "dynamo.vllm"), plantest.WithGPUs("2"), plantest.WithArgs("-tp", "3"))
	document := planOf(steptest.PlanOnGrove(workerAnd(graphplan.Component{Framework: v1alpha1.BackendVLLM}), withGPUTotal(2)))
	warned := conditioned("Accepted", isTrue, "ValidWithWarnings", text)
	compare(t, map[string]responseCase{
		"First": {
			reason: "A warning is a condition and, the first time, a result, which becomes an event.",
			req:    plantest.Request(plantest.Graph(worker), plantest.WithGroups("grove")),
			want:   want(asksForGroups(), warned, onGrove(), noQueue(), document, warningResult(text)),
		},
		"Again": {
			reason: "A warning that was given before is not given as an event again, which would flood the user.",
			req: plantest.Request(plantest.Graph(worker, acceptedBefore(text)),
				plantest.WithGroups("grove")),
			want: want(asksForGroups(), warned, onGrove(), noQueue(), document),
		},
		"Another": {
			reason: "A warning that differs from the one before is given as an event again.",
			req: plantest.Request(plantest.Graph(worker, acceptedBefore("another")),
				plantest.WithGroups("grove")),
			want: want(asksForGroups(), warned, onGrove(), noQueue(), document, warningResult(text)),
		},
	})
}
