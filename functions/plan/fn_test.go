package plan

import (
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
)

const (
	singlePlan = `{"version":2,"release":"development","orchestrator":"Grove","grove":{"terminationDelay":"15m0s"},"totalGPUs":1,"services":{
		"Frontend":{"discovery":"kubernetes","dynamoNamespace":"inference-llama"},
		"Worker":{"framework":"vllm","discovery":"kubernetes","dynamoNamespace":"inference-llama"}}}`
	topologySpec = `{"topologyConstraint":{"topologyProfile":"my-topology","packDomain":"zone"},"pvcs":[{"name":"cache","create":true,"size":"1Gi",
		"storageClass":"fast","volumeAccessMode":"ReadWriteMany"}],"services":{` + plantest.Frontend + `}}`
)

// TestRequirements follows one graph through the calls of one reconcile: a Fatal, or a plan that rests on what is not
// known yet, would end Crossplane's lookup.
func TestRequirements(t *testing.T) {
	compare(t, map[string]responseCase{
		"NothingDelivered": {
			reason: "The first call asks which API groups are installed, and says nothing else.",
			req:    plantest.Request(plantest.GraphOf(topologySpec)),
			want:   want(asksForGroups()),
		},
		"CallerWithoutCapabilities": {
			reason: "A caller that advertises no capabilities gets the requirements in the older field.",
			req:    plantest.Request(plantest.GraphOf(topologySpec), withoutCapabilities()),
			want:   want(asksForGroups(), inOlderField()),
		},
		"SomeDelivered": {
			reason: "What is delivered is asked for again, so that the requirements come to rest.",
			req:    plantest.Request(plantest.GraphOf(topologySpec), plantest.WithGroups("grove"), func(req *fnv1.RunFunctionRequest) { delete(req.GetRequiredResources(), "apiservice-kai") }),
			want:   want(asksForGroups()),
		},
		"GroupsDelivered": {
			reason: "Objects of installed groups are asked for once the groups are known, and so are claims, which may be somebody else's.",
			req:    plantest.Request(plantest.GraphOf(topologySpec), plantest.WithGroups("grove", "kai")),
			want:   want(asksForGroups(), asksForQueue("dynamo"), asksForPVC(), asksForSchema()),
		},
		"SchemaDelivered": {
			reason: "The topology is asked for once the schema tells its kind.",
			req:    plantest.Request(plantest.GraphOf(topologySpec), plantest.WithGroups("grove", "kai"), withQueue(), withoutObject("pvc-cache"), withSchema(true)),
			want:   want(asksForGroups(), asksForQueue("dynamo"), asksForPVC(), asksForSchema(), asksForTopology("ClusterTopologyBinding")),
		},
		"AllDelivered": {
			reason: "There is a plan once everything is delivered.",
			req: plantest.Request(plantest.GraphOf(topologySpec), plantest.WithGroups("grove", "kai"), withQueue(), withoutObject("pvc-cache"), withSchema(true),
				withTopology()),
			want: want(asksForGroups(), asksForQueue("dynamo"), asksForPVC(), asksForSchema(), asksForTopology("ClusterTopologyBinding"),
				accepted(), onGrove(), queueFound(),
				planOf(`{"version":2,"release":"development","orchestrator":"Grove","grove":{"terminationDelay":"15m0s","schedulerName":"kai-scheduler","queue":"dynamo"},
					"totalGPUs":0,"composedPVCs":["cache"],"topology":{"name":"my-topology","dialect":"Pack"},
					"services":{"Frontend":{"discovery":"kubernetes","dynamoNamespace":"inference-llama"}}}`)),
		},
		"KindsThatAreNotInstalled": {
			reason: "An object of a kind that is not installed must never be asked for: Crossplane would fail.",
			req:    plantest.Request(plantest.GraphOf(plantest.SpecOf(plantest.Frontend)), plantest.WithGroups()),
			want: want(asksForGroups(), accepted(),
				conditioned("OrchestratorSelected", isTrue, "Selected", "Deployment runs the graph: Grove is not installed, and no service spans several nodes"),
				noQueue(),
				planOf(`{"version":2,"release":"development","orchestrator":"Deployment","totalGPUs":0,"services":{"Frontend":{"discovery":"kubernetes","dynamoNamespace":"inference-llama"}}}`)),
		},
		"ModesFromTheInput": {
			reason: "What the platform says is not looked up.",
			req:    plantest.Request(plantest.GraphOf(plantest.SpecOf(plantest.Frontend, plantest.Worker)), withInput(`"grove":{"mode":"Enabled"},"kai":{"mode":"Disabled"},"lws":{"mode":"Disabled"},"volcano":{"mode":"Enabled"}`)),
			want:   want(accepted(), onGrove(), noQueue(), planOf(singlePlan)),
		},
	})
}

// TestInvalidGraph shows what a user sees of a graph that is refused.
func TestInvalidGraph(t *testing.T) {
	const conditions = `{"conditions":[
		{"type":"Synced","status":"True","reason":"ReconcileSuccess"},
		{"type":"Ready","status":"True","reason":"Available"},
		{"type":"Accepted","status":"True","reason":"Valid"},
		{"type":"OrchestratorSelected","status":"True","reason":"Remembered","message":"the graph has run on Grove since it was created"},
		{"type":"QueueAvailable","status":"False","reason":"QueueNotFound","message":"no queue"},
		{"type":"ServicesReady","status":"Unknown","reason":"Waiting"},
		{"type":"SomebodyElses","status":"True","reason":"Fine"}]}`
	repeated := func(rsp *fnv1.RunFunctionResponse) {
		conditioned("OrchestratorSelected", isTrue, "Remembered", "the graph has run on Grove since it was created")(rsp)
		conditioned("QueueAvailable", isFalse, "QueueNotFound", "no queue")(rsp)
		conditioned("ServicesReady", isUnknown, "Waiting", "")(rsp)
		conditioned("SomebodyElses", isTrue, "Fine", "")(rsp)
	}
	bad := plantest.SpecOf(plantest.Frontend, `"A":{"componentTyp":"worker","extraPodSpec":{"mainContainer":{"image":"registry.example.org/runtime:1.5.0"}}}`,
		`"Worker":{"componentType":"worker","extraPodSpec":{"mainContainer":{"image":"registry.example.org/runtime:1.5.0","command":["python3","-m","dynamo.sglang"]}}}`)
	bad = `{"backendFramework":"vllm",` + bad[1:]
	const message = `spec.services[A].componentTyp: Invalid value: "worker": unknown field; did you mean "componentType"?; ` +
		`spec.services[Worker].extraPodSpec.mainContainer: Invalid value: the command runs dynamo.sglang, but backendFramework is "vllm"; change one of the two`

	compare(t, map[string]responseCase{
		"AllMessagesAtOnce": {
			reason: "Everything that is wrong is said at once, in one condition and one Fatal, and there is no plan.",
			req:    plantest.Request(plantest.GraphOf(bad), plantest.WithGroups("grove")),
			want:   want(asksForGroups(), refusal("Invalid", message)),
		},
		"ConditionsAreRepeated": {
			reason: "Crossplane turns what is not returned beside a Fatal to Unknown, so every condition of a function is repeated but Accepted.",
			req:    plantest.Request(plantest.WithStatus(plantest.GraphOf(bad), conditions), plantest.WithGroups("grove")),
			want:   want(asksForGroups(), refusal("Invalid", message), repeated),
		},
		"BadInputOfTheComposition": {
			reason: "A mistake of the platform's is no mistake of the graph's: its conditions stay as they are.",
			req:    plantest.Request(plantest.WithStatus(plantest.GraphOf(plantest.SpecOf(plantest.Frontend)), conditions), plantest.WithGroups("grove"), withInput(`"grove":{"mode":"On"},"colour":"green"`)),
			want: want(
				fatalResult(`invalid input in the Composition: [input.colour: Invalid value: "green": unknown field; remove it, `+
					`input.grove.mode: Unsupported value: "On": supported values: "Auto", "Enabled", "Disabled"]`),
				conditioned("Accepted", isTrue, "Valid", ""), repeated),
		},
		"NoClaim": {
			reason: "A cluster-scoped composite resource without a claim is told so, though nothing of it can be looked up.",
			req: plantest.Request(`{"kind":"XDynamoGraphDeployment","metadata":{"name":"x"},"spec":{"pvcs":[{"name":"cache","create":true,"size":"1Gi","storageClass":"fast",
				"volumeAccessMode":"ReadWriteMany"}],"services":{`+plantest.Frontend+`}}}`, plantest.WithGroups("grove")),
			want: want(asksForGroups(), refusal("Invalid", "spec.claimRef: Required value: a cluster-scoped XDynamoGraphDeployment gets its name and namespace from its claim; "+
				"create a DynamoGraphDeployment claim in a namespace instead")),
		},
		"UnreadableObservedState": {
			reason: "What is observed and cannot be read is no reason to forget it.",
			req:    plantest.Request(plantest.WithStatus(plantest.GraphOf(plantest.SpecOf(plantest.Frontend)), conditions), plantest.WithGroups("grove"), plantest.WithObserved("podcliqueset", `{"kind":"PodCliqueSet","spec":{"replicas":"one"}}`)),
			want: want(fatalResult("cannot read PodCliqueSet: spec.replicas: Invalid value: must be a whole number, not a string"),
				unready("PodCliqueSet : cannot be read: cannot read PodCliqueSet: spec.replicas: Invalid value: must be a whole number, not a string"),
				conditioned("Accepted", isTrue, "Valid", ""),
				conditioned("OrchestratorSelected", isTrue, "Remembered", "the graph has run on Grove since it was created"),
				conditioned("QueueAvailable", isFalse, "QueueNotFound", "no queue"),
				conditioned("SomebodyElses", isTrue, "Fine", "")),
		},
	})
}

// TestClaim shows that a graph behind a claim is planned as one without.
func TestClaim(t *testing.T) {
	compare(t, map[string]responseCase{
		"Claim": {
			reason: "A graph behind a claim takes its name and namespace from the claim.",
			req: plantest.Request(`{"kind":"XDynamoGraphDeployment","metadata":{"name":"llama-x7k2p"},"spec":{"claimRef":{"name":"llama","namespace":"inference"},
				"pvcs":[{"name":"cache","create":true,"size":"1Gi","storageClass":"fast","volumeAccessMode":"ReadWriteMany"}],
				"services":{`+plantest.Frontend+`}}}`, plantest.WithGroups("grove"), withoutObject("pvc-cache")),
			want: want(asksForGroups(), asksForPVC(), accepted(), onGrove(), noQueue(),
				planOf(`{"version":2,"release":"development","orchestrator":"Grove","grove":{"terminationDelay":"15m0s"},"totalGPUs":0,"composedPVCs":["cache"],
					"services":{"Frontend":{"discovery":"kubernetes","dynamoNamespace":"inference-llama"}}}`)),
		},
	})
}

// TestWarnings shows when a user is warned.
func TestWarnings(t *testing.T) {
	const text = "spec.services[Worker]: tensor x pipeline x data parallel size is 3 x 1 x 1 = 3, but a replica has 2 GPUs (1 nodes x 2); change the sizes or the GPUs so that they match"
	spec := plantest.SpecOf(`"Worker":{"componentType":"worker","resources":{"limits":{"gpu":"2"}},"extraPodSpec":{"mainContainer":{"image":"registry.example.org/runtime:1.5.0",
		"command":["python3","-m","dynamo.vllm"],"args":["-tp","3"]}}}`)
	document := planOf(`{"version":2,"release":"development","orchestrator":"Grove","grove":{"terminationDelay":"15m0s"},"totalGPUs":2,
		"services":{"Worker":{"framework":"vllm","discovery":"kubernetes","dynamoNamespace":"inference-llama"}}}`)
	warned := conditioned("Accepted", isTrue, "ValidWithWarnings", text)
	compare(t, map[string]responseCase{
		"First": {
			reason: "A warning is a condition and, the first time, a result, which becomes an event.",
			req:    plantest.Request(plantest.GraphOf(spec), plantest.WithGroups("grove")),
			want:   want(asksForGroups(), warned, onGrove(), noQueue(), document, warningResult(text)),
		},
		"Again": {
			reason: "A warning that was given before is not given as an event again, which would flood the user.",
			req: plantest.Request(plantest.WithStatus(plantest.GraphOf(spec), `{"conditions":[{"type":"Accepted","status":"True","reason":"ValidWithWarnings","message":"`+text+`"}]}`),
				plantest.WithGroups("grove")),
			want: want(asksForGroups(), warned, onGrove(), noQueue(), document),
		},
		"Another": {
			reason: "A warning that differs from the one before is given as an event again.",
			req: plantest.Request(plantest.WithStatus(plantest.GraphOf(spec), `{"conditions":[{"type":"Accepted","status":"True","reason":"ValidWithWarnings","message":"another"}]}`),
				plantest.WithGroups("grove")),
			want: want(asksForGroups(), warned, onGrove(), noQueue(), document, warningResult(text)),
		},
	})
}
