package validate_test

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/validate"
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
			patch: `{metadata: {annotations: {nvidia.com/dynamo-kube-discovery-mode: container}},
				spec: {services: {decode: {failover: {enabled: true, numShadows: 2}, gpuMemoryService: {enabled: true}}}}}`,
			want: []string{
				"spec.services[decode].failover.numShadows: Invalid value: 2: must be 1; set replicas for more engines",
			},
		},
		"Good": {
			reason: "Both have one mode.",
			patch: `{metadata: {annotations: {nvidia.com/dynamo-kube-discovery-mode: container}},
				spec: {services: {decode: {failover: {enabled: true, numShadows: 1}, gpuMemoryService: {enabled: true, mode: intraPod}}}}}`,
		},
		"DiscoveredByPod": {
			reason: "Two engines that are discovered by the name of their pod would take each other's place.",
			patch:  `spec: {services: {decode: {failover: {enabled: true}, gpuMemoryService: {enabled: true}}}}`,
			want: []string{
				`metadata.annotations[nvidia.com/dynamo-kube-discovery-mode]: Invalid value: "": must be container for failover of service decode, ` +
					"whose pods have two engines that are discovered separately; set the annotation to container, or remove failover",
			},
		},
		"DiscoveredByPodOfTheService": {
			reason: "An annotation of the service takes precedence over that of the graph.",
			patch: `{metadata: {annotations: {nvidia.com/dynamo-kube-discovery-mode: container}},
				spec: {services: {decode: {failover: {enabled: true}, gpuMemoryService: {enabled: true},
				extraPodMetadata: {annotations: {nvidia.com/dynamo-kube-discovery-mode: pod}}}}}}`,
			want: []string{
				"spec.services[decode].failover: Forbidden: requires that the engines of a pod are discovered separately, " +
					"but the service has annotation nvidia.com/dynamo-kube-discovery-mode: pod; remove that annotation",
			},
		},
		"Checkpoint": {
			reason: "A checkpoint is of one engine.",
			patch: `{metadata: {annotations: {nvidia.com/dynamo-kube-discovery-mode: container}},
				spec: {services: {decode: {failover: {enabled: true}, gpuMemoryService: {enabled: true}, checkpoint: {enabled: true, checkpointRef: a}}}}}`,
			want: []string{
				"spec.services[decode].checkpoint: Forbidden: may not be enabled together with failover; remove one of the two",
			},
		},
		"CheckpointBetweenPods": {
			reason: "Engines in pods of their own have no checkpoint either.",
			patch:  `spec: {services: {decode: {failover: {enabled: true, mode: interPod}, gpuMemoryService: {enabled: true, mode: interPod}, checkpoint: {enabled: true, checkpointRef: a}}}}`,
			want: []string{
				"spec.services[decode].checkpoint: Forbidden: may not be enabled together with failover; remove one of the two",
			},
		},
		"MetricOfMain": {
			reason: "An autoscaler finds no metric of a container that the pods do not have.",
			patch: `{metadata: {annotations: {nvidia.com/dynamo-kube-discovery-mode: container}},
				spec: {services: {decode: {failover: {enabled: true}, gpuMemoryService: {enabled: true}, autoscaling: {enabled: true, minReplicas: 1, maxReplicas: 2,
				metrics: [{type: ContainerResource, containerResource: {container: main, name: cpu, target: {type: AverageValue, averageValue: 1}}},
				{type: ContainerResource, containerResource: {container: engine-0, name: cpu, target: {type: AverageValue, averageValue: 1}}}]}}}}}`,
			want: []string{
				`spec.services[decode].autoscaling.metrics[0].containerResource.container: Invalid value: "main": is not a container of pods with failover; ` +
					"use one of engine-0, engine-1, or a metric of type Resource",
			},
		},
		"Disabled": {
			reason: "What is not enabled needs nothing.",
			patch:  `spec: {services: {decode: {failover: {enabled: false, numShadows: 2}}}}`,
		},
	})
}

// TestFailoverBetweenPods holds that one manifest of upstream, in v1alpha1 without the GPU memory service, is not refused.
func TestFailoverBetweenPods(t *testing.T) {
	if got := problems(t, `spec: {services: {decode: {failover: {enabled: true, mode: interPod, numShadows: 2}}}}`, validate.Options{}); len(got) > 0 {
		t.Errorf("want no problems, got %q", got)
	}
}

// TestFailoverWarnings shows which settings of a main container its two engines do not have.
func TestFailoverWarnings(t *testing.T) {
	runWarnings(t, map[string]warningCase{
		"Nothing": {
			reason: "Engines have everything else that the user has written.",
			patch: `{metadata: {annotations: {nvidia.com/dynamo-kube-discovery-mode: container}},
				spec: {services: {decode: {failover: {enabled: true}, gpuMemoryService: {enabled: true}, envs: [{name: NNODES, value: "1"}]}}}}`,
		},
		"Overridden": {
			reason: "Two engines in one network cannot have the same ports, and the lock decides which one is healthy.",
			patch: `{metadata: {annotations: {nvidia.com/dynamo-kube-discovery-mode: container}},
				spec: {envs: [{name: DYN_SYSTEM_PORT, value: "8081"}], services: {decode: {failover: {enabled: true}, gpuMemoryService: {enabled: true},
				envs: [{name: A, value: b}, {name: ENGINE_ID, value: "7"}],
				extraPodSpec: {mainContainer: {ports: [{name: system, containerPort: 8081}], env: [{name: DYN_SYSTEM_ENABLED, value: "false"}]}}}}}}`,
			want: []string{
				"spec.envs[0]: DYN_SYSTEM_PORT has no effect with failover, because each engine of a pod has a value of its own; remove it",
				"spec.services[decode].envs[1]: ENGINE_ID has no effect with failover, because each engine of a pod has a value of its own; remove it",
				"spec.services[decode].extraPodSpec.mainContainer.env[0]: DYN_SYSTEM_ENABLED has no effect with failover, because each engine of a pod has a value of its own; remove it",
				"spec.services[decode].extraPodSpec.mainContainer.ports: has no effect with failover, because each engine of a pod has ports of its own; remove it",
			},
		},
	})
}
