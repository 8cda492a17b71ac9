package validate_test

import (
	"testing"
)

func TestWarningsOfSharedMemory(t *testing.T) {
	const replaced = "is replaced by the shared memory of the service; set sharedMemory.size instead, or set sharedMemory.disabled: true to keep it"
	runWarnings(t, map[string]warningCase{
		"SharedMemory": {
			reason: "The tmpfs of the service takes the place of the user's.",
			patch:  `spec: {services: {decode: {extraPodSpec: {volumes: [{name: shared-memory, emptyDir: {}}, {name: shm, emptyDir: {}}], mainContainer: {volumeMounts: [{name: shm, mountPath: /dev/shm}]}}}}}`,
			want: []string{
				"spec.services[decode].extraPodSpec.mainContainer.volumeMounts[0]: " + replaced,
				"spec.services[decode].extraPodSpec.volumes[0]: " + replaced,
			},
		},
		"VolumeAndMount": {
			reason: "A volume and its mount are one mistake.",
			patch:  `spec: {services: {decode: {extraPodSpec: {volumes: [{name: shared-memory, emptyDir: {}}], mainContainer: {volumeMounts: [{name: shared-memory, mountPath: /dev/shm}]}}}}}`,
			want:   []string{"spec.services[decode].extraPodSpec.volumes[0]: " + replaced},
		},
		"ClaimAtSharedMemory": {
			reason: "A claim cannot be the shared memory.",
			patch:  `spec: {services: {decode: {volumeMounts: [{name: a, mountPoint: /dev/shm/}]}}}`,
			want: []string{
				"spec.services[decode].volumeMounts[0]: is replaced by the shared memory of the service; set sharedMemory.size instead, or set sharedMemory.disabled: true to keep it",
			},
		},
		"DisabledSharedMemory": {
			reason: "Shared memory that is disabled takes the place of nothing.",
			patch:  `spec: {services: {decode: {sharedMemory: {disabled: true}, extraPodSpec: {volumes: [{name: shared-memory, emptyDir: {}}]}}}}`,
		},
	})
}
