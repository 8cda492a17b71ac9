package validate_test

import (
	"testing"
)

func TestBadResources(t *testing.T) {
	runBadCases(t, map[string]badCase{
		"NegativeCPU": {
			reason: "An amount of CPU cannot be negative.",
			patch:  `spec: {services: {decode: {resources: {requests: {cpu: 2}, limits: {cpu: -1}}}}}`,
			want: []string{
				`spec.services[decode].resources.limits.cpu: Invalid value: "-1": must be at least 0`,
			},
		},
		"HalfAGPU": {
			reason: "Devices are whole.",
			patch:  `spec: {services: {decode: {resources: {limits: {gpu: "0.5"}}}}}`,
			want: []string{
				`spec.services[decode].resources.limits.gpu: Invalid value: "500m": must be a whole number; devices cannot be divided`,
			},
		},
		"RequestAboveLimit": {
			reason: "A request cannot exceed its limit.",
			patch:  `spec: {services: {decode: {resources: {requests: {cpu: 4}, limits: {cpu: 2}}}}}`,
			want: []string{
				`spec.services[decode].resources.requests.cpu: Invalid value: "4": must be at most the limit, which is 2`,
			},
		},
		"GPURequestDiffersFromLimit": {
			reason: "Devices cannot be overcommitted.",
			patch:  `spec: {services: {decode: {resources: {requests: {gpu: 4}}}}}`,
			want: []string{
				`spec.services[decode].resources.requests.gpu: Invalid value: "4": must be equal to the limit, which is 8; devices cannot be overcommitted`,
			},
		},
		"BadGPUType": {
			reason: "The GPU type must be a valid resource name.",
			patch:  `spec: {services: {decode: {resources: {limits: {gpuType: "my gpu"}}}}}`,
			want: []string{
				`spec.services[decode].resources.limits.gpuType: Invalid value: "my gpu": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc')`,
			},
		},
		"BadCustomResource": {
			reason: "A custom resource must have a valid resource name.",
			patch:  `spec: {services: {decode: {resources: {limits: {custom: {"rdma ib": 1}}}}}}`,
			want: []string{
				`spec.services[decode].resources.limits.custom: Invalid value: "rdma ib": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc')`,
			},
		},
		"ContainerRequestAboveLimit": {
			reason: "A request in the long form cannot exceed its limit.",
			patch:  `spec: {services: {decode: {extraPodSpec: {mainContainer: {resources: {requests: {memory: 2Gi}, limits: {memory: 1Gi}}}}}}}`,
			want: []string{
				`spec.services[decode].extraPodSpec.mainContainer.resources.requests[memory]: Invalid value: "2Gi": must be at most the limit, which is 1Gi`,
			},
		},
		"SharedMemoryDisabledWithSize": {
			reason: "The size of shared memory that is disabled does not matter.",
			patch:  `spec: {services: {decode: {sharedMemory: {disabled: true, size: "-1"}}}}`,
		},
		"SameVolumeTwice": {
			reason: "Names of volumes are unique.",
			patch:  `spec: {services: {decode: {extraPodSpec: {volumes: [{name: a, emptyDir: {}}, {name: a, emptyDir: {}}]}}}}`,
			want: []string{
				`spec.services[decode].extraPodSpec.volumes[1].name: Invalid value: "a": is duplicated; rename or remove one of the two`,
			},
		},
		"VolumeOfTwoThings": {
			reason: "A volume has one source.",
			patch:  `spec: {services: {decode: {extraPodSpec: {volumes: [{name: a, emptyDir: {}, hostPath: {path: /x}}]}}}}`,
			want: []string{
				"spec.services[decode].extraPodSpec.volumes[0]: Forbidden: must have exactly one source, but has several",
			},
		},
		"MountOfUnknownVolume": {
			reason: "Nothing defines the volume.",
			patch:  `spec: {services: {decode: {extraPodSpec: {mainContainer: {volumeMounts: [{name: a, mountPath: /a}]}}}}}`,
			want: []string{
				`spec.services[decode].extraPodSpec.mainContainer.volumeMounts[0].name: Invalid value: "a": is not a volume of the pod; define it in extraPodSpec.volumes, or mount a claim through volumeMounts of the service`,
			},
		},
		"SameMountPathTwice": {
			reason: "Two mounts cannot have the same path.",
			patch:  `spec: {services: {decode: {extraPodSpec: {volumes: [{name: a, emptyDir: {}}], mainContainer: {volumeMounts: [{name: a, mountPath: /a}, {name: a, mountPath: /a}]}}}}}`,
			want: []string{
				`spec.services[decode].extraPodSpec.mainContainer.volumeMounts[1].mountPath: Invalid value: "/a": is duplicated; rename or remove one of the two`,
			},
		},
		"MountPointMissing": {
			reason: "A claim must be mounted somewhere.",
			patch:  `spec: {services: {decode: {volumeMounts: [{name: models}]}}}`,
			want: []string{
				"spec.services[decode].volumeMounts[0].mountPoint: Required value: specify the path at which the claim is mounted",
			},
		},
		"CacheMountPointMissing": {
			reason: "Only vLLM workers have a default mount point for their cache.",
			patch:  `spec: {services: {Frontend: {volumeMounts: [{name: cache, useAsCompilationCache: true}]}}}`,
			want: []string{
				"spec.services[Frontend].volumeMounts[0].mountPoint: Required value: specify the path at which the cache is mounted; only vLLM workers have a default",
			},
		},
		"SameMountPointTwice": {
			reason: "Two claims cannot be mounted at one path.",
			patch:  `spec: {services: {decode: {volumeMounts: [{name: a, mountPoint: /a}, {name: b, mountPoint: /a}]}}}`,
			want: []string{
				`spec.services[decode].volumeMounts[1].mountPoint: Invalid value: "/a": is duplicated; rename or remove one of the two`,
			},
		},
	})
}

func TestWarningsOfMemory(t *testing.T) {
	runWarnings(t, map[string]warningCase{
		"Milli": {
			reason: "500m of memory is half a byte.",
			patch:  `spec: {services: {decode: {resources: {limits: {memory: 500m}}}}}`,
			want:   []string{"spec.services[decode].resources.limits.memory: 500m is not a whole number of bytes; m means a thousandth, use M or Mi for millions"},
		},
	})
}
