package validate_test

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/validate"
)

func TestBadFailover(t *testing.T) {
	runBadCases(t, map[string]badCase{
		"Alone": {
			reason: "Standby engines in the pod share its GPUs through the GPU memory service.",
			patch:  `spec: {services: {decode: {failover: {enabled: true}}}}`,
			want: []string{
				"spec.services[decode].gpuMemoryService: Required value: failover requires the GPU memory service with the same mode; add it, or remove failover",
			},
		},
		"OtherMode": {
			reason: "Standby engines share the GPUs in the same way as the engine.",
			patch:  `spec: {services: {decode: {failover: {enabled: true, mode: interPod}, gpuMemoryService: {enabled: true}}}}`,
			want: []string{
				`spec.services[decode].failover.mode: Invalid value: "interPod": must be the mode of gpuMemoryService; change one of the two`,
			},
		},
		"ManyShadows": {
			reason: "A pod has one standby engine.",
			patch:  `spec: {services: {decode: {failover: {enabled: true, numShadows: 2}, gpuMemoryService: {enabled: true}}}}`,
			want: []string{
				"spec.services[decode].failover.numShadows: Invalid value: 2: must be 1; set replicas for more engines",
			},
		},
		"Good": {
			reason: "Both have one mode.",
			patch:  `spec: {services: {decode: {failover: {enabled: true, numShadows: 1}, gpuMemoryService: {enabled: true, mode: intraPod}}}}`,
		},
		"Disabled": {
			reason: "What is not enabled needs nothing.",
			patch:  `spec: {services: {decode: {failover: {enabled: false, numShadows: 2}}}}`,
		},
		"JobOfCheckpointThatExists": {
			reason: "A job makes a checkpoint, and a reference names one that exists.",
			patch:  `spec: {services: {decode: {checkpoint: {enabled: true, checkpointRef: a, job: {gmsClientContainers: [loader]}}}}}`,
			want: []string{
				"spec.services[decode].checkpoint.job: Forbidden: may not be set together with checkpointRef, which names an existing checkpoint; remove one of the two",
			},
		},
	})
}

// TestFailoverBetweenPods holds that one manifest of upstream, in v1alpha1 without the GPU memory service, is not refused.
func TestFailoverBetweenPods(t *testing.T) {
	if got := problems(t, `spec: {services: {decode: {failover: {enabled: true, mode: interPod, numShadows: 2}}}}`, validate.Options{}); len(got) > 0 {
		t.Errorf("want no problems, got %q", got)
	}
}
