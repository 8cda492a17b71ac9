package plan

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
)

func TestPlanServices(t *testing.T) {
	const vllm = `"componentType":"worker","extraPodSpec":{"mainContainer":{"command":["python3","-m","dynamo.vllm"]}}`
	cases := map[string]struct {
		reason      string
		spec        string
		annotations string
		want        graphplan.Service
	}{
		"Frontend": {
			reason:      "A frontend runs no engine.",
			spec:        `{"backendFramework":"vllm","services":{"S":{"componentType":"frontend"}}}`,
			annotations: `{}`,
			want:        graphplan.Service{Discovery: "kubernetes", DynamoNamespace: "inference-llama"},
		},
		"Detected": {
			reason:      "The command tells the engine of a worker.",
			spec:        `{"services":{"S":{` + vllm + `}}}`,
			annotations: `{}`,
			want:        graphplan.Service{Framework: v1alpha1.BackendVLLM, Discovery: "kubernetes", DynamoNamespace: "inference-llama"},
		},
		"Declared": {
			reason:      "Else the graph does.",
			spec:        `{"backendFramework":"trtllm","services":{"S":{"componentType":"decode"}}}`,
			annotations: `{}`,
			want:        graphplan.Service{Framework: v1alpha1.BackendTRTLLM, Discovery: "kubernetes", DynamoNamespace: "inference-llama"},
		},
		"Executor": {
			reason:      "An executor is needed where a vLLM engine spans nodes.",
			spec:        `{"services":{"S":{"multinode":{"nodeCount":2},` + vllm + `}}}`,
			annotations: `{}`,
			want:        graphplan.Service{Framework: v1alpha1.BackendVLLM, Executor: "ray", Discovery: "kubernetes", DynamoNamespace: "inference-llama"},
		},
		"ExecutorOfTheGraph": {
			reason:      "The graph may name it.",
			spec:        `{"services":{"S":{"multinode":{"nodeCount":2},` + vllm + `}}}`,
			annotations: `{"nvidia.com/vllm-distributed-executor-backend":"mp"}`,
			want:        graphplan.Service{Framework: v1alpha1.BackendVLLM, Executor: "mp", Discovery: "kubernetes", DynamoNamespace: "inference-llama"},
		},
		"ExecutorOfTheService": {
			reason:      "And a service for itself.",
			spec:        `{"services":{"S":{"annotations":{"nvidia.com/vllm-distributed-executor-backend":"ray"},"multinode":{"nodeCount":2},` + vllm + `}}}`,
			annotations: `{"nvidia.com/vllm-distributed-executor-backend":"mp"}`,
			want:        graphplan.Service{Framework: v1alpha1.BackendVLLM, Executor: "ray", Discovery: "kubernetes", DynamoNamespace: "inference-llama"},
		},
		"ExecutorOfOthers": {
			reason:      "Other engines have none.",
			spec:        `{"backendFramework":"sglang","services":{"S":{"componentType":"worker","multinode":{"nodeCount":2}}}}`,
			annotations: `{"nvidia.com/vllm-distributed-executor-backend":"mp"}`,
			want:        graphplan.Service{Framework: v1alpha1.BackendSGLang, Discovery: "kubernetes", DynamoNamespace: "inference-llama"},
		},
		"DiscoveryOfTheGraph": {
			reason:      "The graph may name its discovery.",
			spec:        `{"services":{"S":{}}}`,
			annotations: `{"nvidia.com/dynamo-discovery-backend":"etcd"}`,
			want:        graphplan.Service{Discovery: "etcd", DynamoNamespace: "inference-llama"},
		},
		"DiscoveryOfTheService": {
			reason:      "And a service for itself.",
			spec:        `{"services":{"S":{"annotations":{"nvidia.com/dynamo-discovery-backend":"kubernetes"}}}}`,
			annotations: `{"nvidia.com/dynamo-discovery-backend":"etcd"}`,
			want:        graphplan.Service{Discovery: "kubernetes", DynamoNamespace: "inference-llama"},
		},
		"GlobalDynamoNamespace": {
			reason:      "A service may join the shared Dynamo namespace.",
			spec:        `{"services":{"S":{"globalDynamoNamespace":true}}}`,
			annotations: `{}`,
			want:        graphplan.Service{Discovery: "kubernetes", DynamoNamespace: "dynamo"},
		},
		"DynamoNamespaceIsIgnored": {
			reason:      "The deprecated field has no effect.",
			spec:        `{"services":{"S":{"dynamoNamespace":"mine"}}}`,
			annotations: `{}`,
			want:        graphplan.Service{Discovery: "kubernetes", DynamoNamespace: "inference-llama"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in, _ := input.Read(nil)
			got, errs := planServices(decoded(t, tc.spec, tc.annotations), in, &memory{})
			if len(errs) > 0 {
				t.Fatalf("%s\nplanServices(...): %v", tc.reason, errs.ToAggregate())
			}
			if diff := cmp.Diff(map[string]graphplan.Service{"S": tc.want}, got); diff != "" {
				t.Errorf("%s\nplanServices(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestTotalGPUs(t *testing.T) {
	cases := map[string]struct {
		reason   string
		services string
		want     int64
	}{
		"None":      {reason: "A graph without GPUs has none.", services: `"A":{}`},
		"All":       {reason: "Replicas times nodes times GPUs of a pod, over all services.", services: `"A":{"replicas":2,"multinode":{"nodeCount":4},"resources":{"limits":{"gpu":"8"}}},"B":{"resources":{"requests":{"gpu":"1"}}}`, want: 65},
		"NoReplica": {reason: "What is scaled to 0 has none.", services: `"A":{"replicas":0,"resources":{"limits":{"gpu":"8"}}}`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := totalGPUs(decoded(t, `{"services":{`+tc.services+`}}`, `{}`)); got != tc.want {
				t.Errorf("%s\ntotalGPUs(...): want %d, got %d", tc.reason, tc.want, got)
			}
		})
	}
}

func TestParallelismWarning(t *testing.T) {
	cases := map[string]struct {
		reason      string
		service     string
		parallelism backend.Parallelism
		idle        int64
		want        string
	}{
		"Fits":        {reason: "What fits needs no word.", service: `{"resources":{"limits":{"gpu":"8"}}}`, parallelism: backend.Parallelism{Tensor: 8, Pipeline: 1, Data: 1}},
		"Part":        {reason: "Nor does a part that divides the whole.", service: `{"resources":{"limits":{"gpu":"8"}}}`, parallelism: backend.Parallelism{Tensor: 2, Pipeline: 2, Data: 1}},
		"TooMany":     {reason: "What does not fit is named with both numbers.", service: `{"multinode":{"nodeCount":2},"resources":{"limits":{"gpu":"8"}}}`, parallelism: backend.Parallelism{Tensor: 8, Pipeline: 2, Data: 2}, want: "tensor x pipeline x data parallel size is 8 x 2 x 2 = 32, and a replica has 16 GPUs (2 nodes x 8): make them fit"},
		"Remainder":   {reason: "Nor can GPUs be left over.", service: `{"resources":{"limits":{"gpu":"8"}}}`, parallelism: backend.Parallelism{Tensor: 3, Pipeline: 1, Data: 1}, want: "tensor x pipeline x data parallel size is 3 x 1 x 1 = 3, and a replica has 8 GPUs (1 nodes x 8): make them fit"},
		"Idle":        {reason: "What is certainly left over is named with both numbers.", service: `{"multinode":{"nodeCount":2},"resources":{"limits":{"gpu":"8"}}}`, parallelism: backend.Parallelism{Tensor: 8, Pipeline: 1, Data: 1}, idle: 8, want: "tensor x pipeline x data parallel size is 8 x 1 x 1 = 8, and a replica has 16 GPUs (2 nodes x 8), of which the engine leaves 8 idle; raise the sizes, or ask for fewer GPUs"},
		"NotInNumber": {reason: "GPUs that come through a claim have no number here.", service: `{}`, parallelism: backend.Parallelism{Tensor: 8, Pipeline: 1, Data: 1}},
		"NoArguments": {reason: "Without arguments an engine takes one GPU.", service: `{"resources":{"limits":{"gpu":"8"}}}`, parallelism: backend.Parallelism{Tensor: 1, Pipeline: 1, Data: 1}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := decoded(t, `{"services":{"S":`+tc.service+`}}`, `{}`).Spec.Services["S"]
			if diff := cmp.Diff(tc.want, parallelismWarning(&s, pod.Inspection{Parallelism: tc.parallelism, IdleGPUs: tc.idle})); diff != "" {
				t.Errorf("%s\nparallelismWarning(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestRanks shows which engines of TensorRT-LLM are refused.
func TestRanks(t *testing.T) {
	cases := map[string]struct {
		reason  string
		service string
		want    string
	}{
		"Equal":   {reason: "Each GPU has a rank.", service: `"multinode":{"nodeCount":2},"resources":{"limits":{"gpu":"8"}},"extraPodSpec":{"mainContainer":{"args":["--tensor-parallel-size","16"]}}`},
		"Fewer":   {reason: "GPUs may be idle.", service: `"multinode":{"nodeCount":2},"resources":{"limits":{"gpu":"8"}},"extraPodSpec":{"mainContainer":{"args":["--tensor-parallel-size","8"]}}`},
		"OneNode": {reason: "MPI is not needed on one node.", service: `"resources":{"limits":{"gpu":"8"}},"extraPodSpec":{"mainContainer":{"args":["--tensor-parallel-size","16"]}}`},
		"NoGPUs":  {reason: "GPUs that come through a claim have no number here.", service: `"multinode":{"nodeCount":2},"extraPodSpec":{"mainContainer":{"args":["--tensor-parallel-size","16"]}}`},
		"File":    {reason: "A file may have other sizes.", service: `"multinode":{"nodeCount":2},"resources":{"limits":{"gpu":"4"}},"extraPodSpec":{"mainContainer":{"args":["--tensor-parallel-size","16","--extra-engine-args","f"]}}`},
		"More": {
			reason:  "More ranks than GPUs end at once.",
			service: `"multinode":{"nodeCount":2},"resources":{"limits":{"gpu":"4"}},"extraPodSpec":{"mainContainer":{"command":["python3","-m","dynamo.trtllm"],"args":["--tp-size","8","--pp-size=2"]}}`,
			want:    "spec.services[S].extraPodSpec.mainContainer: Invalid value: tensor x pipeline parallel size is 8 x 2 = 16 ranks, and a replica has 8 GPUs (2 nodes x 4): lower the sizes, or raise nodeCount or resources.limits.gpu",
		},
		"DefaultCommand": {
			reason:  "The command of the framework has the flags of the user.",
			service: `"multinode":{"nodeCount":2},"resources":{"limits":{"gpu":"4"}},"extraPodSpec":{"mainContainer":{"args":["--tensor-parallel-size","16"]}}`,
			want:    "spec.services[S].extraPodSpec.mainContainer: Invalid value: tensor x pipeline parallel size is 16 x 1 = 16 ranks, and a replica has 8 GPUs (2 nodes x 4): lower the sizes, or raise nodeCount or resources.limits.gpu",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g := decoded(t, `{"backendFramework":"trtllm","services":{"S":{"componentType":"worker",`+tc.service+`}}}`, `{}`)
			_, errs := planServices(g, &inputv1alpha1.Input{}, &memory{})
			got := ""
			if err := errs.ToAggregate(); err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nplanServices(...): -want errors, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestWhatPodsNeed shows what the plan learns from the pods: the wait script, the SSH key, and the platform's policy.
func TestWhatPodsNeed(t *testing.T) {
	trtllm := strings.ReplaceAll(multinode, "dynamo.vllm", "dynamo.trtllm")
	document := func(more, framework string) responseOption {
		return planOf(`{"version":2,"release":"development","orchestrator":"Grove","grove":{"terminationDelay":"15m0s"},"totalGPUs":32,` + more + `
			"services":{"Worker":{` + framework + `,"discovery":"kubernetes","dynamoNamespace":"inference-llama"}}}`)
	}
	compare(t, map[string]responseCase{
		"WaitForLeader": {
			reason: "Workers of vLLM's mp executor mount a script.",
			req:    request(graphOf(services(multinode)), withGroups("grove"), withInput(`"vllm":{"distributedExecutor":"mp"}`)),
			want: want(asksForGroups(), accepted(), onGrove(), noQueue(),
				document(`"waitForLeader":true,`, `"framework":"vllm","executor":"mp"`)),
		},
		"SSH": {
			reason: "TensorRT-LLM's nodes need a key pair.",
			req:    request(graphOf(services(trtllm)), withGroups("grove")),
			want:   want(asksForGroups(), accepted(), onGrove(), noQueue(), document(`"sshSecret":"mpirun-ssh-key-llama",`, `"framework":"trtllm"`)),
		},
		"UsersSSH": {
			reason: "One that the user brings is not the chain's to look after.",
			req:    request(annotated(services(trtllm), `{"nvidia.com/mpi-ssh-secret":"mine"}`), withGroups("grove")),
			want:   want(asksForGroups(), accepted(), onGrove(), noQueue(), document("", `"framework":"trtllm"`)),
		},
		"Policy": {
			reason: "What the platform says of its servers reaches the later steps.",
			req: request(graphOf(services(multinode)), withGroups("grove"), withInput(`"grove":{"terminationDelay":"1h"},
				"infrastructure":{"natsAddress":"nats://n"},"ingress":{"className":"nginx"},"discovery":{"backend":"etcd"}`)),
			want: want(asksForGroups(), accepted(), onGrove(), noQueue(),
				planOf(`{"version":2,"release":"development","orchestrator":"Grove","grove":{"terminationDelay":"1h0m0s"},"totalGPUs":32,
					"infrastructure":{"natsAddress":"nats://n"},"ingressDefaults":{"className":"nginx"},
					"services":{"Worker":{"framework":"vllm","executor":"ray","discovery":"etcd","dynamoNamespace":"inference-llama"}}}`)),
		},
	})
}
