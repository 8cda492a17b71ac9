package plan

import (
	"strings"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
)

// TestWhatPodsNeed shows what the plan learns from the pods: the wait script, the SSH key, and the platform's policy.
func TestWhatPodsNeed(t *testing.T) {
	trtllm := strings.ReplaceAll(plantest.Multinode, "dynamo.vllm", "dynamo.trtllm")
	document := func(more, framework string) responseOption {
		return planOf(`{"version":2,"release":"development","orchestrator":"Grove","grove":{"terminationDelay":"15m0s"},"totalGPUs":32,` + more + `
			"services":{"Worker":{` + framework + `,"discovery":"kubernetes","dynamoNamespace":"inference-llama"}}}`)
	}
	compare(t, map[string]responseCase{
		"WaitForLeader": {
			reason: "Workers of vLLM's mp executor mount a script.",
			req:    plantest.Request(plantest.GraphOf(plantest.SpecOf(plantest.Multinode)), plantest.WithGroups("grove"), withInput(`"vllm":{"distributedExecutor":"mp"}`)),
			want: want(asksForGroups(), accepted(), onGrove(), noQueue(),
				document(`"waitForLeader":true,`, `"framework":"vllm","executor":"mp"`)),
		},
		"SSH": {
			reason: "TensorRT-LLM's nodes need a key pair.",
			req:    plantest.Request(plantest.GraphOf(plantest.SpecOf(trtllm)), plantest.WithGroups("grove")),
			want:   want(asksForGroups(), accepted(), onGrove(), noQueue(), document(`"sshSecret":"mpirun-ssh-key-llama",`, `"framework":"trtllm"`)),
		},
		"UsersSSH": {
			reason: "A key pair that the user brings is not managed by the chain.",
			req:    plantest.Request(plantest.Annotated(plantest.SpecOf(trtllm), `{"nvidia.com/mpi-ssh-secret":"mine"}`), plantest.WithGroups("grove")),
			want:   want(asksForGroups(), accepted(), onGrove(), noQueue(), document("", `"framework":"trtllm"`)),
		},
		"Policy": {
			reason: "What the platform says of its servers reaches the later steps.",
			req: plantest.Request(plantest.GraphOf(plantest.SpecOf(plantest.Multinode)), plantest.WithGroups("grove"), withInput(`"grove":{"terminationDelay":"1h"},
				"infrastructure":{"natsAddress":"nats://n"},"ingress":{"className":"nginx"},"discovery":{"backend":"etcd"}`)),
			want: want(asksForGroups(), accepted(), onGrove(), noQueue(),
				planOf(`{"version":2,"release":"development","orchestrator":"Grove","grove":{"terminationDelay":"1h0m0s"},"totalGPUs":32,
					"infrastructure":{"natsAddress":"nats://n"},"ingressDefaults":{"className":"nginx"},
					"services":{"Worker":{"framework":"vllm","executor":"ray","discovery":"etcd","dynamoNamespace":"inference-llama"}}}`)),
		},
	})
}
