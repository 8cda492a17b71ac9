package services

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
)

func TestDecide(t *testing.T) {
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
			reason:      "The graph names the engine of a worker that has no command.",
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
			reason:      "The graph may name the executor, in any case.",
			spec:        `{"services":{"S":{"multinode":{"nodeCount":2},` + vllm + `}}}`,
			annotations: `{"nvidia.com/vllm-distributed-executor-backend":"MP"}`,
			want:        graphplan.Service{Framework: v1alpha1.BackendVLLM, Executor: "mp", Discovery: "kubernetes", DynamoNamespace: "inference-llama"},
		},
		"ExecutorOfFailover": {
			reason:      "Of two engines in a pod, only one could start Ray.",
			spec:        `{"services":{"S":{"gpuMemoryService":{"enabled":true},"failover":{"enabled":true},"multinode":{"nodeCount":2},` + vllm + `}}}`,
			annotations: `{}`,
			want:        graphplan.Service{Framework: v1alpha1.BackendVLLM, Executor: "mp", Discovery: "kubernetes", DynamoNamespace: "inference-llama"},
		},
		"ExecutorOfTheService": {
			reason:      "A service may name an executor for itself.",
			spec:        `{"services":{"S":{"annotations":{"nvidia.com/vllm-distributed-executor-backend":"ray"},"multinode":{"nodeCount":2},` + vllm + `}}}`,
			annotations: `{"nvidia.com/vllm-distributed-executor-backend":"mp"}`,
			want:        graphplan.Service{Framework: v1alpha1.BackendVLLM, Executor: "ray", Discovery: "kubernetes", DynamoNamespace: "inference-llama"},
		},
		"ExecutorOfOthers": {
			reason:      "Engines other than vLLM have no executor.",
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
			reason:      "A service may name its discovery for itself.",
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
			reason:      "The deprecated field dynamoNamespace has no effect.",
			spec:        `{"services":{"S":{"dynamoNamespace":"mine"}}}`,
			annotations: `{}`,
			want:        graphplan.Service{Discovery: "kubernetes", DynamoNamespace: "inference-llama"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, outcome := Decide(plantest.Facts(t, plantest.Request(plantest.Annotated(tc.spec, tc.annotations))))
			if len(outcome.Errors) > 0 {
				t.Fatalf("%s\nDecide(...): %v", tc.reason, outcome.Errors.ToAggregate())
			}
			if diff := cmp.Diff(map[string]graphplan.Service{"S": tc.want}, got); diff != "" {
				t.Errorf("%s\nDecide(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestFailover shows which engines can stand by for another one.
func TestFailover(t *testing.T) {
	const failover = `"componentType":"worker","gpuMemoryService":{"enabled":true},"failover":{"enabled":true}`
	cases := map[string]struct {
		reason string
		spec   string
		want   []string
	}{
		"VLLM": {
			reason: "An engine of vLLM waits for the lock of the active engine.",
			spec:   `{"backendFramework":"vllm","services":{"S":{` + failover + `}}}`,
		},
		"SGLang": {
			reason: "SGLang does not wait, so both engines would be active.",
			spec:   `{"backendFramework":"sglang","services":{"S":{` + failover + `}}}`,
			want:   []string{"spec.services[S].failover: Forbidden: is only supported for vLLM, and this service runs sglang; remove failover, and set replicas to 2"},
		},
		"Unknown": {
			reason: "A program that is not known may or may not wait.",
			spec:   `{"services":{"S":{` + failover + `,"extraPodSpec":{"mainContainer":{"command":["/start.sh"]}}}}}`,
			want:   []string{"spec.services[S].failover: Forbidden: is only supported for vLLM, and the command runs no known engine; set backendFramework to vllm if it runs vLLM, otherwise remove failover"},
		},
		"Contradiction": {
			reason: "Which engine it is has to be settled first.",
			spec:   `{"backendFramework":"sglang","services":{"S":{` + failover + `,"extraPodSpec":{"mainContainer":{"command":["python3","-m","dynamo.vllm"]}}}}}`,
			want:   []string{`spec.services[S].extraPodSpec.mainContainer: Invalid value: the command runs dynamo.vllm, but backendFramework is "sglang"; change one of the two`},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, outcome := Decide(plantest.Facts(t, plantest.Request(plantest.Annotated(tc.spec, `{}`))))
			var got []string
			for _, err := range outcome.Errors {
				got = append(got, err.Error())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nDecide(...): -want errors, +got:\n%s", tc.reason, diff)
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
		"None":      {reason: "A graph without GPUs has a total of 0.", services: `"A":{}`},
		"All":       {reason: "The total is replicas times nodes times GPUs of a pod, summed over all services.", services: `"A":{"replicas":2,"multinode":{"nodeCount":4},"resources":{"limits":{"gpu":"8"}}},"B":{"resources":{"requests":{"gpu":"1"}}}`, want: 65},
		"Shared":    {reason: "GPUs that containers share through one claim are as many as the service asks for.", services: `"A":{"gpuMemoryService":{"enabled":true},"resources":{"limits":{"gpu":"4"}}}`, want: 4},
		"Claimed":   {reason: "How many GPUs a claim of the user has is only known in the cluster, so claims are not counted.", services: `"A":{"resources":{"limits":{"gpu":"2"},"claims":[{"name":"more"}]},"extraPodSpec":{"resourceClaims":[{"name":"more","resourceClaimTemplateName":"four-gpus"}]}}`, want: 2},
		"NoReplica": {reason: "A service that is scaled to 0 adds nothing to the total.", services: `"A":{"replicas":0,"resources":{"limits":{"gpu":"8"}}}`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := TotalGPUs(plantest.Decoded(t, `{"services":{`+tc.services+`}}`, `{}`)); got != tc.want {
				t.Errorf("%s\nTotalGPUs(...): want %d, got %d", tc.reason, tc.want, got)
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
		"File":    {reason: "A file of extra arguments may have other sizes.", service: `"multinode":{"nodeCount":2},"resources":{"limits":{"gpu":"4"}},"extraPodSpec":{"mainContainer":{"args":["--tensor-parallel-size","16","--extra-engine-args","f"]}}`},
		"More": {
			reason:  "More ranks than GPUs end at once.",
			service: `"multinode":{"nodeCount":2},"resources":{"limits":{"gpu":"4"}},"extraPodSpec":{"mainContainer":{"command":["python3","-m","dynamo.trtllm"],"args":["--tp-size","8","--pp-size=2"]}}`,
			want:    "spec.services[S].extraPodSpec.mainContainer: Invalid value: tensor x pipeline parallel size is 8 x 2 = 16 ranks, but a replica has only 8 GPUs (2 nodes x 4); lower the sizes, or raise nodeCount or resources.limits.gpu",
		},
		"DefaultCommand": {
			reason:  "The command of the framework has the flags of the user.",
			service: `"multinode":{"nodeCount":2},"resources":{"limits":{"gpu":"4"}},"extraPodSpec":{"mainContainer":{"args":["--tensor-parallel-size","16"]}}`,
			want:    "spec.services[S].extraPodSpec.mainContainer: Invalid value: tensor x pipeline parallel size is 16 x 1 = 16 ranks, but a replica has only 8 GPUs (2 nodes x 4); lower the sizes, or raise nodeCount or resources.limits.gpu",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			xr := plantest.GraphOf(`{"backendFramework":"trtllm","services":{"S":{"componentType":"worker",` + tc.service + `}}}`)
			_, outcome := Decide(plantest.Facts(t, plantest.Request(xr)))
			got := ""
			if err := outcome.Errors.ToAggregate(); err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nDecide(...): -want errors, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
