package contract

import (
	"fmt"
	"strings"
)

// A refusal of a manifest.
type refusal struct {
	reason string
	// messages that the error has to contain: each names a field and, unless it may be a secret or is an object, its value.
	messages []string
}

// accepted are the manifests that upstream refused and that render, with the reason.
var accepted = map[string]string{}

// refusals are the manifests that have to be refused.
var refusals = map[string]refusal{
	// The field pvc of early previews.
	"dynamo-comp-sglang-disagg-planner-v20250815":                                 pvcField("Planner"),
	"dynamo-comp-sglang-disagg-planner-v20250924":                                 pvcField("Planner"),
	"dynamo-comp-sglang-disagg-planner-v20250929":                                 pvcField("Planner"),
	"dynamo-comp-trtllm-disagg-multinode-v20250930":                               pvcField("decode", "prefill"),
	"dynamo-comp-trtllm-disagg-planner-v20250924":                                 pvcField("Planner"),
	"dynamo-comp-trtllm-disagg-planner-v20250929":                                 pvcField("Planner"),
	"dynamo-comp-vllm-disagg-planner-v20250818":                                   pvcField("Planner"),
	"dynamo-comp-vllm-disagg-planner-v20250924":                                   pvcField("Planner"),
	"dynamo-comp-vllm-disagg-planner-v20250929":                                   pvcField("Planner"),
	"dynamo-docs-vllm-dynamo-deploy-dynamo-operator-l61":                          pvcField("VllmWorker"),
	"dynamo-ex-vllm-basics-shared-frontend-shared-frontend-agg-qwen-v20251031":    pvcField("EncodeWorker", "Processor", "VLMWorker"),
	"dynamo-ex-vllm-basics-shared-frontend-shared-frontend-vllm-agg-v20251031":    pvcField("VllmDecodeWorker"),
	"dynamo-recipe-sglang-deepseek-r1-sglang-wideep-tep8p-dep8d-disagg-v20250924": pvcField("decode", "prefill"),
	"dynamo-recipe-trtllm-gpt-oss-120b-agg-deploy-v20250924":                      pvcField("TrtllmWorker"),
	"dynamo-recipe-trtllm-gpt-oss-120b-agg-deploy-v20251007":                      pvcField("Frontend", "TrtllmWorker"),
	"dynamo-recipe-vllm-llama-3-70b-disagg-multi-node-deploy-v20250924":           pvcField("Frontend", "VllmDecodeWorker", "VllmPrefillWorker"),
	"dynamo-recipe-vllm-llama-3-70b-disagg-single-node-deploy-v20250924":          pvcField("Frontend", "VllmDecodeWorker", "VllmPrefillWorker"),

	// GPUs by the name of the resource instead of field gpu.
	"dynamo-docs-sglang-chrek-dynamo-l107":            gpuField("1", "worker.limits"),
	"dynamo-docs-vllm-chrek-dynamo-l441":              gpuField("1", "VllmWorker.limits"),
	"dynamo-docs-vllm-chrek-dynamo-l67":               gpuField("1", "VllmWorker.limits"),
	"dynamo-ex-vllm-llm-agg-v20250707":                gpuField("1", "VllmWorker.limits", "VllmWorker.requests"),
	"dynamo-ex-vllm-llm-disagg-v20250707":             gpuField("1", "PrefillWorker.limits", "PrefillWorker.requests", "VllmWorker.limits", "VllmWorker.requests"),
	"dynamo-ex-vllm-vllm-v0-agg-v20250707":            gpuField("1", "VllmWorker.limits", "VllmWorker.requests"),
	"dynamo-ex-vllm-vllm-v0-disagg-planner-v20250707": gpuField("2", "PrefillWorker.limits", "PrefillWorker.requests", "VllmWorker.limits", "VllmWorker.requests"),
	"dynamo-ex-vllm-vllm-v0-disagg-v20250707":         gpuField("1", "PrefillWorker.limits", "PrefillWorker.requests", "VllmWorker.limits", "VllmWorker.requests"),
	"dynamo-ex-vllm-vllm-v1-agg-v20250707":            gpuField("1", "VllmDecodeWorker.limits", "VllmDecodeWorker.requests"),

	// Environment variables whose value is not a string.
	"dynamo-recipe-sglang-glm-5-nvfp4-disagg-efa-deploy":                                    notString("decode.15", "prefill.15"),
	"dynamo-recipe-trtllm-qwen3-235b-a22b-fp8-disagg-blackwell-deploy-aws-p6-b200.48xlarge": notString("DecodeWorker.6", "PrefillWorker.6"),
	"dynamo-recipe-trtllm-qwen3-235b-a22b-fp8-disagg-blackwell-deploy-generic":              notString("DecodeWorker.0", "PrefillWorker.0"),
	"dynamo-recipe-trtllm-qwen3-235b-a22b-fp8-disagg-blackwell-deploy-nscale-ib":            notString("DecodeWorker.2", "PrefillWorker.2"),
	"dynamo-recipe-vllm-deepseek-v4-deepseek-v4-pro-agg-gb200-deploy":                       notString("VllmDecodeWorker.16", "VllmDecodeWorker.18"),
	"dynamo-recipe-vllm-deepseek-v4-deepseek-v4-pro-disagg-deploy":                          notString("VllmDecodeWorker.15", "VllmDecodeWorker.17", "VllmPrefillWorker.17", "VllmPrefillWorker.19"),
	"dynamo-recipe-vllm-qwen3-32b-cloud-providers-deploy-aws-p5.48xlarge":                   notString("DecodeWorker.7", "PrefillWorker.7"),

	// The rest.
	"airunway-vllm-docs-design-unified-crd-abstraction-l1050": {
		reason:   "The field router-mode is unknown.",
		messages: []string{`spec.services[Frontend].router-mode: Invalid value: "kv"`},
	},
	"dynamo-deploy-vllm-helm-charts-chrek-readme-l76": {
		reason:   "The modes of a checkpoint are Auto and Manual.",
		messages: []string{`spec.services[worker].checkpoint.mode: Unsupported value: "auto"`},
	},
	"modelexpress-vllm-ci-client-dynamo-manifest-azure-aggregated": {
		reason:   "The manifest is a template.",
		messages: []string{`metadata.name: Invalid value: "${DGD_NAME}"`},
	},
	"modelexpress-vllm-ci-client-dynamo-manifest-azure-disaggregated": {
		reason:   "The manifest is a template.",
		messages: []string{`metadata.name: Invalid value: "${DGD_NAME}"`},
	},
}

func pvcField(components ...string) refusal {
	r := refusal{reason: "The field pvc is unknown."}
	for _, component := range components {
		r.messages = append(r.messages, fmt.Sprintf("spec.services[%s].pvc: Invalid value: unknown field", component))
	}
	return r
}

// gpuField takes components and blocks as service.block.
func gpuField(value string, blocks ...string) refusal {
	r := refusal{reason: "The field nvidia.com/gpu is unknown: GPUs are counted in gpu, with the name of the resource in gpuType."}
	for _, block := range blocks {
		component, name, _ := strings.Cut(block, ".")
		r.messages = append(r.messages, fmt.Sprintf("spec.services[%s].resources.%s.nvidia.com/gpu: Invalid value: %q", component, name, value))
	}
	return r
}

// notString takes components and indices of variables as service.index. Values of variables are not repeated in errors.
func notString(variables ...string) refusal {
	r := refusal{reason: "The value of the variable is a boolean."}
	for _, variable := range variables {
		component, index, _ := strings.Cut(variable, ".")
		r.messages = append(r.messages, fmt.Sprintf(
			"spec.services[%s].extraPodSpec.mainContainer.env[%s].value: Invalid value: must be a string, not a boolean", component, index))
	}
	return r
}
