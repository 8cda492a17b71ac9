package validate_test

import "testing"

func TestBadGPUMemory(t *testing.T) {
	runBadCases(t, map[string]badCase{
		"Frontend": {
			reason: "Only workers have GPUs.",
			patch:  `spec: {services: {Frontend: {gpuMemoryService: {enabled: true}}}}`,
			want: []string{
				"spec.services[Frontend].gpuMemoryService: Forbidden: may only be enabled for workers (componentType worker, prefill or decode)",
			},
		},
		"NoGPU": {
			reason: "Without a GPU there is none to claim.",
			patch:  `spec: {services: {decode: {resources: null, gpuMemoryService: {enabled: true}}}}`,
			want: []string{
				"spec.services[decode].resources.limits.gpu: Required value: the GPU memory service requires at least one GPU",
			},
		},
		"BetweenPods": {
			reason: "Between pods, no container of the pod is a client, and other pods are reserved.",
			patch: `spec: {services: {decode: {gpuMemoryService: {enabled: true, mode: interPod, extraClientContainers: [loader], extraClientPods: [{name: a, podTemplate: {}}]},
				extraPodSpec: {containers: [{name: loader, image: x}]}}}}`,
			want: []string{
				"spec.services[decode].gpuMemoryService.extraClientContainers[0]: Forbidden: requires mode intraPod; remove it, or use mode intraPod",
				"spec.services[decode].gpuMemoryService.extraClientPods: Forbidden: is reserved; remove it",
			},
		},
		"Clients": {
			reason: "Clients are containers of the pod, each named once, and the main container is always one.",
			patch: `spec: {services: {decode: {gpuMemoryService: {enabled: true, extraClientContainers: [main, loader, other, loader, sidecar-frontend]},
				extraPodSpec: {containers: [{name: loader, image: x}]}}}}`,
			want: []string{
				`spec.services[decode].gpuMemoryService.extraClientContainers[0]: Invalid value: "main": is always a client; remove it`,
				`spec.services[decode].gpuMemoryService.extraClientContainers[2]: Invalid value: "other": is not a container in extraPodSpec.containers; add the container, or remove the name`,
				`spec.services[decode].gpuMemoryService.extraClientContainers[3]: Invalid value: "loader": is duplicated; rename or remove one of the two`,
				`spec.services[decode].gpuMemoryService.extraClientContainers[4]: Invalid value: "sidecar-frontend": is not a container in extraPodSpec.containers; add the container, or remove the name`,
			},
		},
		"DeviceClass": {
			reason: "The device class must be a valid object name.",
			patch:  `spec: {services: {decode: {gpuMemoryService: {enabled: true, deviceClassName: "A B"}}}}`,
			want: []string{
				`spec.services[decode].gpuMemoryService.deviceClassName: Invalid value: "A B": is not a valid name of a DeviceClass; use lower-case letters, digits, dashes and dots`,
			},
		},
	})
}
