package validate_test

import "testing"

func TestWorkers(t *testing.T) {
	const (
		at     = "spec.services[decode]."
		noGPU  = at + "resources.limits: contain no GPU, so the engine does not find one; set the number of GPUs (nvidia.com/gpu, amd.com/gpu, google.com/tpu, gpu.intel.com/i915, gpu.intel.com/xe, habana.ai/gaudi), or a claim for them"
		noMode = at + "extraPodSpec.mainContainer.args: do not tell dynamo.vllm that it is a prefill worker, so it also decodes, and is not found as a prefill worker; " +
			"add --disaggregation-mode prefill, or --is-prefill-worker with images of Dynamo before 1.0.0"
		noMockerMode = at + "extraPodSpec.mainContainer.args: do not tell dynamo.mocker that it is a prefill worker, so it also decodes, and is not found as a prefill worker; " +
			"add --disaggregation-mode prefill, or --is-prefill-worker with images that do not know it"
	)
	runWarnings(t, map[string]warningCase{
		"NoGPU":  {reason: "An engine needs a device.", patch: `spec: {services: {decode: {resources: null}}}`, want: []string{noGPU}},
		"Memory": {reason: "Memory is no device.", patch: `spec: {services: {decode: {resources: {limits: {gpu: null, memory: 1Gi, custom: {rdma/ib: 1}}}}}}`, want: []string{noGPU}},
		"Default": {
			reason: "The default command of a worker runs the engine too.",
			patch:  `spec: {backendFramework: vllm, services: {decode: {resources: null, extraPodSpec: {mainContainer: {command: null}}}}}`, want: []string{noGPU},
		},
		"OtherDevice": {reason: "Engines also run on other devices.", patch: `spec: {services: {decode: {resources: {limits: {gpu: null, custom: {aws.amazon.com/neuron: 1}}}}}}`},
		"Fraction":    {reason: "KAI gives the pod a share of a GPU.", patch: `spec: {services: {decode: {resources: null, annotations: {gpu-fraction: "0.5"}}}}`},
		"MemoryOfGPU": {
			reason: "KAI gives the pod a share of a GPU by its memory, also in the metadata of pods.",
			patch:  `spec: {services: {decode: {resources: null, extraPodMetadata: {annotations: {gpu-memory: "20000"}}}}}`,
		},
		"Claim": {
			reason: "A device can be in a claim.",
			patch:  `spec: {services: {decode: {resources: null, extraPodSpec: {resourceClaims: [{name: gpu, resourceClaimName: gpu}]}}}}`,
		},
		"CPU": {reason: "Some images run on processors.", patch: `spec: {services: {decode: {resources: null, extraPodSpec: {mainContainer: {image: vllm-cpu}}}}}`},
		"WithoutDomain": {
			reason: "Another message says what a name without a domain should be.",
			patch:  `spec: {services: {decode: {resources: null, extraPodSpec: {mainContainer: {resources: {limits: {gpu: 1}}}}}}}`,
		},
		"DeviceFlag": {reason: "A flag names another device.", patch: `spec: {services: {decode: {resources: null, extraPodSpec: {mainContainer: {args: [--device, cpu]}}}}}`},
		"Visible":    {reason: "A variable names devices that the container gets in another way.", patch: `spec: {services: {decode: {resources: null, envs: [{name: NVIDIA_VISIBLE_DEVICES, value: all}]}}}`},
		"Own":        {reason: "What a program of the user needs is not known.", patch: `spec: {services: {decode: {resources: null, extraPodSpec: {mainContainer: {command: [serve]}}}}}`},
		"Mocker":     {reason: "The mocker needs no GPU.", patch: `spec: {services: {decode: {resources: null, extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.mocker]}}}}}`},
		"MockerPrefill": {
			reason: "A mocker without a mode does both, too.",
			patch:  `spec: {services: {decode: {subComponentType: prefill, resources: null, extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.mocker]}}}}}`,
			want:   []string{noMockerMode},
		},
		"MockerFlag": {
			reason: "Early releases of the mocker have another flag.",
			patch:  `spec: {services: {decode: {subComponentType: prefill, resources: null, extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.mocker, --is-prefill-worker]}}}}}`,
		},
		"PrefillFlag": {reason: "An engine is told its phase.", patch: `spec: {services: {decode: {subComponentType: prefill, extraPodSpec: {mainContainer: {args: [--disaggregation-mode, prefill]}}}}}`},
		"OlderFlag":   {reason: "Early releases have another flag.", patch: `spec: {services: {decode: {subComponentType: prefill, extraPodSpec: {mainContainer: {args: [--is-prefill-worker]}}}}}`},
		"Variable":    {reason: "The phase can be in a variable.", patch: `spec: {services: {decode: {subComponentType: prefill, envs: [{name: DYN_VLLM_DISAGGREGATION_MODE, value: prefill}]}}}`},
		"Unclear":     {reason: "Flags in a variable are not known.", patch: `spec: {services: {decode: {subComponentType: prefill, extraPodSpec: {mainContainer: {command: [sh, -c, python3 -m dynamo.vllm $FLAGS]}}}}}`},
		"Decode":      {reason: "Decoding is what an engine does without a flag.", patch: `spec: {services: {decode: {subComponentType: decode}}}`},
		"Prefill":     {reason: "Without a flag, an engine does both.", patch: `spec: {services: {decode: {subComponentType: prefill}}}`, want: []string{noMode}},
		"DecodeBesidePrefill": {
			reason: "Other frameworks do both without a flag, also beside workers that only prefill.",
			patch: `spec: {services: {
				decode: {subComponentType: decode, extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.sglang]}}},
				prefill: {componentType: prefill, extraPodSpec: {mainContainer: {image: i, command: [serve]}}}}}`,
			want: []string{at + "extraPodSpec.mainContainer.args: do not tell dynamo.sglang that it is a decode worker, so it also prefills; add --disaggregation-mode decode"},
		},
		"DecodeAlone": {
			reason: "Without workers that prefill, a worker does both.", patch: `spec: {services: {decode: {subComponentType: decode, extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.sglang]}}}}}`,
		},
		"DecodeOfVLLM": {
			reason: "The engine of vLLM decodes without a flag.",
			patch:  `spec: {services: {decode: {subComponentType: decode}, prefill: {componentType: prefill, extraPodSpec: {mainContainer: {image: i, command: [serve]}}}}}`,
		},
		"PrefillType": {reason: "The phase can also be the type.", patch: `spec: {services: {decode: {componentType: prefill}}}`, want: []string{noMode}},
		"Untyped": {
			reason: "Without a type, an engine does not get what it needs.", patch: `spec: {services: {decode: {componentType: null}}}`,
			want: []string{at + "componentType: is not set, although the service runs dynamo.vllm, so its pods do not get the ports, probes and variables of this program; set it to worker"},
		},
		"UntypedFrontend": {
			reason: "A frontend without a type does not get it either.", patch: `spec: {services: {Frontend: {componentType: null, extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.frontend]}}}}}`,
			want: []string{"spec.services[Frontend].componentType: is not set, although the service runs dynamo.frontend, so its pods do not get the ports, probes and variables of this program; set it to frontend"},
		},
		"UntypedProgram": {reason: "A program of the user may need nothing.", patch: `spec: {services: {decode: {componentType: null, extraPodSpec: {mainContainer: {command: [serve]}}}}}`},
		"Misspelt": {
			reason: "A resource that is almost that of GPUs is no node's.", patch: `spec: {services: {decode: {resources: {limits: {gpu: null, custom: {nvidia.com/gpus: 1}}}}}}`,
			want: []string{at + `resources.limits.custom[nvidia.com/gpus]: is not a resource that nodes are known to have; did you mean "nvidia.com/gpu"?`},
		},
		"MisspeltInContainer": {
			reason: "A container can have such a resource, too.", patch: `spec: {services: {decode: {extraPodSpec: {mainContainer: {resources: {requests: {nvidia.com/gpus: 1}, limits: {nvidia.com/gpus: 1}}}}}}}`,
			want: []string{
				at + `extraPodSpec.mainContainer.resources.limits[nvidia.com/gpus]: is not a resource that nodes are known to have; did you mean "nvidia.com/gpu"?`,
				at + `extraPodSpec.mainContainer.resources.requests[nvidia.com/gpus]: is not a resource that nodes are known to have; did you mean "nvidia.com/gpu"?`,
			},
		},
		"Shares": {reason: "Shares and slices of GPUs have names of their own.", patch: `spec: {services: {decode: {resources: {limits: {custom: {nvidia.com/gpu.shared: 1, nvidia.com/gpumem: 3000, nvidia.com/mig-1g.10gb: 1}}}}}}`},
	})
}

func TestMisplacedMain(t *testing.T) {
	runBadCases(t, map[string]badCase{
		"InContainers": {
			reason: "The main container of a service has a field of its own. Nothing else is said about it.",
			patch:  `spec: {services: {decode: {extraPodSpec: {mainContainer: null, containers: [{name: main, image: i, command: [serve]}]}}}}`,
			want:   []string{`spec.services[decode].extraPodSpec.containers[0].name: Invalid value: "main": the main container is not one of containers; move it to extraPodSpec.mainContainer`},
		},
	})
}
