package validate_test

import (
	"testing"
)

func TestBadEnums(t *testing.T) {
	runBadCases(t, map[string]badCase{
		"BadShareMode": {
			reason: "Only the modes interPod and intraPod exist.",
			patch:  `spec: {services: {decode: {gpuMemoryService: {enabled: false, mode: shared}, failover: {enabled: false, mode: shared}}}}`,
			want: []string{
				`spec.services[decode].failover.mode: Unsupported value: "shared": supported values: "interPod", "intraPod"`,
				`spec.services[decode].gpuMemoryService.mode: Unsupported value: "shared": supported values: "interPod", "intraPod"`,
			},
		},
		"BadUpdateStrategy": {
			reason: "Grove has two strategies.",
			patch:  `metadata: {annotations: {nvidia.com/grove-update-strategy: Rolling}}`,
			want: []string{
				`metadata.annotations[nvidia.com/grove-update-strategy]: Unsupported value: "Rolling": supported values: "Coherent", "OnDelete", "RollingRecreate"`,
			},
		},
		"NegativeShadows": {
			reason: "The number of shadows must be at least 1.",
			patch:  `spec: {services: {decode: {failover: {enabled: false, numShadows: -1}}}}`,
			want: []string{
				"spec.services[decode].failover.numShadows: Invalid value: -1: must be at least 1",
			},
		},
		"BadCheckpoint": {
			reason: "The fields of a checkpoint accept only the values of the schema.",
			patch:  `spec: {services: {decode: {checkpoint: {mode: auto, deletionPolicy: Keep, startupPolicy: Wait, targetContainerName: My_Main, identity: {model: a, backendFramework: tgi}}}}}`,
			want: []string{
				`spec.services[decode].checkpoint.deletionPolicy: Unsupported value: "Keep": supported values: "Delete", "Retain"`,
				`spec.services[decode].checkpoint.identity.backendFramework: Unsupported value: "tgi": supported values: "sglang", "trtllm", "vllm"`,
				`spec.services[decode].checkpoint.mode: Unsupported value: "auto": supported values: "Auto", "Manual"; did you mean "Auto"?`,
				`spec.services[decode].checkpoint.startupPolicy: Unsupported value: "Wait": supported values: "Immediate", "WaitForCheckpoint"`,
				`spec.services[decode].checkpoint.targetContainerName: Invalid value: "My_Main": must be a DNS label: lower-case letters, digits and dashes, at most 63 characters`,
			},
		},
	})
}
