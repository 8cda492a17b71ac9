package plan

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
)

const observedWithGroup = `{"apiVersion":"grove.io/v1alpha1","kind":"PodCliqueSet","metadata":{"name":"llama"},"spec":{"replicas":1,"template":{
	"cliques":[{"name":"frontend","spec":{"replicas":1,"minAvailable":1}},{"name":"worker-ldr","spec":{"replicas":1,"minAvailable":1}},
		{"name":"worker-wkr","spec":{"replicas":1,"minAvailable":1}}],
	"podCliqueScalingGroups":[{"name":"worker","cliqueNames":["worker-ldr","worker-wkr"],"replicas":2,"minAvailable":1}]}}}`

func TestChildren(t *testing.T) {
	const (
		clique = `{"apiVersion":"grove.io/v1alpha1","kind":"PodClique","metadata":{"name":"llama-0-frontend","generation":3},"spec":{"replicas":2,"roleName":"frontend"},
			"status":{"observedGeneration":2,"replicas":3,"updatedReplicas":1,"readyReplicas":2,"scheduledReplicas":3,"hpaPodSelector":"x"}}`
		inGroup = `{"kind":"PodClique","metadata":{"name":"llama-0-worker-0-worker-ldr","generation":1},"spec":{"replicas":1}}`
		group   = `{"kind":"PodCliqueScalingGroup","metadata":{"name":"llama-0-worker","generation":1},"spec":{"replicas":2},
			"status":{"observedGeneration":1,"replicas":2,"updatedReplicas":2,"availableReplicas":2,"scheduledReplicas":2}}`
		others = `{"kind":"PodCliqueScalingGroup","metadata":{"name":"llama-1-worker","generation":1},"spec":{"replicas":2}}`

		cliqueChild = `"Frontend":{"kind":"PodClique","name":"llama-0-frontend","generation":3,"observedGeneration":2,"specReplicas":2,
			"replicas":3,"updatedReplicas":1,"readyReplicas":2,"availableReplicas":0,"scheduledReplicas":3}`
		groupChild = `"Worker":{"kind":"PodCliqueScalingGroup","name":"llama-0-worker","generation":1,"observedGeneration":1,"specReplicas":2,
			"replicas":2,"updatedReplicas":2,"readyReplicas":0,"availableReplicas":2,"scheduledReplicas":2}`
	)
	xr := plantest.GraphOf(plantest.SpecOf(plantest.Frontend, plantest.Multinode))
	planned := func(children string) responseOption {
		return planOf(`{"version":2,"release":"development","orchestrator":"Grove","grove":{"terminationDelay":"15m0s"},"totalGPUs":32,` + children + `
			"services":{"Frontend":{"discovery":"kubernetes","dynamoNamespace":"inference-llama"},
			"Worker":{"framework":"vllm","executor":"ray","discovery":"kubernetes","dynamoNamespace":"inference-llama"}}}`)
	}
	live := func(more ...plantest.RequestOption) []plantest.RequestOption {
		return append([]plantest.RequestOption{plantest.WithGroups("grove"), plantest.WithObserved("podcliqueset", observedWithGroup)}, more...)
	}
	asked := []responseOption{asksForGroups(), asksForChildren("frontend"), asksForScalingGroups("worker"), accepted(), onGrove(), noQueue()}
	undelivered := plantest.Request(xr, live()...)
	delete(undelivered.GetRequiredResources(), "podcliquescalinggroup-worker")
	compare(t, map[string]responseCase{
		"BothKinds": {
			reason: "A single-node service is its PodClique and a multinode one its PodCliqueScalingGroup; the PodCliques of a scaling group are not even asked for.",
			req:    plantest.Request(xr, live(plantest.WithChildren([]string{clique, inGroup}, []string{group, others}))...),
			want:   want(append(asked, planned(`"children":{`+cliqueChild+`,`+groupChild+`},`))...),
		},
		"NoneYet": {
			reason: "Grove may not have created PodCliques and PodCliqueScalingGroups yet.",
			req:    plantest.Request(xr, live()...),
			want:   want(append(asked, planned(``))...),
		},
		"Undelivered": {
			reason: "What has not been looked up is unknown: there is no plan before it has.",
			req:    undelivered,
			want:   want(asksForGroups(), asksForChildren("frontend"), asksForScalingGroups("worker")),
		},
		"NoSetYet": {
			reason: "Before there is a PodCliqueSet there is nothing to look up.",
			req:    plantest.Request(xr, plantest.WithGroups("grove")),
			want:   want(asksForGroups(), accepted(), onGrove(), noQueue(), planned(``)),
		},
		"Odd": {
			reason: "A child that cannot be read is reported with what can be read of it, and does not stop the graph.",
			req: plantest.Request(xr, live(plantest.WithChildren([]string{`{"kind":"PodClique","metadata":{"name":"llama-0-frontend","generation":1},"spec":{"replicas":2},"status":{"replicas":"two"}}`},
				[]string{`{"kind":"PodCliqueScalingGroup"}`, `{"metadata":"x"}`}))...),
			want: want(append(asked, planned(`"children":{"Frontend":{"kind":"PodClique","name":"llama-0-frontend","generation":1,"specReplicas":2,
				"replicas":0,"updatedReplicas":0,"readyReplicas":0,"availableReplicas":0,"scheduledReplicas":0,
				"problem":"cannot be read: cannot read PodClique llama-0-frontend: status.replicas: Invalid value: must be a whole number, not a string"}},`))...),
		},
	})
}
