package validate_test

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/validate"
)

func TestBadCheckpoint(t *testing.T) {
	const sharing = "gpuMemoryService: {enabled: true"
	runBadCases(t, map[string]badCase{
		"Good": {
			reason: "A checkpoint of another container, and one that is created, are fine.",
			patch: `spec: {services: {decode: {checkpoint: {enabled: true, checkpointRef: warm.a, targetContainerName: loader}, extraPodSpec: {containers: [{name: loader, image: a}]}},
				prefill: {componentType: prefill, checkpoint: {enabled: true, job: {podTemplate: {}}}, extraPodSpec: {mainContainer: {image: x, command: [run]}}}}}`,
		},
		"NoWorker": {
			reason: "Only workers are restored.",
			patch:  `spec: {services: {Frontend: {checkpoint: {enabled: true}}}}`,
			want:   []string{`spec.services[Frontend].checkpoint: Forbidden: checkpoint functionality requires componentType to be explicitly set to worker, prefill, or decode; set it, or remove checkpoint`},
		},
		"NoWorkerLive": {
			reason: "A live graph keeps what it was created with.",
			patch:  `spec: {services: {Frontend: {checkpoint: {enabled: true}}}}`,
			with:   validate.Options{Live: true},
		},
		"NoWorkerDisabled": {
			reason: "A checkpoint that is not enabled says nothing.",
			patch:  `spec: {services: {Frontend: {checkpoint: {enabled: false}}}}`,
		},
		"SharedGPUs": {
			reason: "Containers of the job may use the GPU memory service of the pod.",
			patch:  `spec: {services: {decode: {checkpoint: {enabled: true, job: {gmsClientContainers: [loader]}}, ` + sharing + `}}}}`,
		},
		"BetweenPods": {
			reason: "Only the GPU memory service of the same pod has clients in the job.",
			patch:  `spec: {services: {decode: {checkpoint: {enabled: true, job: {gmsClientContainers: [loader]}}, ` + sharing + `, mode: interPod}}}}`,
			want: []string{
				"spec.services[decode].checkpoint.job.gmsClientContainers: Forbidden: requires the GPU memory service in mode intraPod; use that mode, or remove the containers",
			},
		},
		"NoGPUMemoryService": {
			reason: "Containers cannot use a GPU memory service that there is not, even if the checkpoint is disabled, as with the webhook.",
			patch:  `spec: {services: {decode: {checkpoint: {enabled: false, job: {gmsClientContainers: [loader]}}}}}`,
			want: []string{
				"spec.services[decode].checkpoint.job.gmsClientContainers: Forbidden: requires the GPU memory service; enable gpuMemoryService, or remove the containers",
			},
		},
		"JobOfCheckpointThatExists": {
			reason: "A job makes a checkpoint, and a reference names one that exists.",
			patch:  `spec: {services: {decode: {checkpoint: {enabled: true, checkpointRef: a, job: {podTemplate: {}}}}}}`,
			want: []string{
				"spec.services[decode].checkpoint.job: Forbidden: may not be set together with checkpointRef, which names an existing checkpoint; remove one of the two",
			},
		},
		"Names": {
			reason: "A checkpoint must have a name that there can be, and restore a container that there is.",
			patch:  `spec: {services: {decode: {checkpoint: {enabled: true, checkpointRef: a/b, targetContainerName: engine}}}}`,
			want: []string{
				`spec.services[decode].checkpoint.checkpointRef: Invalid value: "a/b": is not a valid name of a PodSnapshot; use lower-case letters, digits, dashes and dots`,
				`spec.services[decode].checkpoint.targetContainerName: Invalid value: "engine": is not a container in extraPodSpec.containers; add the container, or remove the name`,
			},
		},
		"Disabled": {
			reason: "What is not enabled needs nothing.",
			patch:  `spec: {services: {decode: {checkpoint: {enabled: false, checkpointRef: a/b, targetContainerName: engine}, ` + sharing + `, mode: interPod}}}}`,
		},
	})
}

func TestCheckpointWarnings(t *testing.T) {
	const (
		instead = ": has no effect together with checkpointRef, which names an existing checkpoint; remove it"
	)
	of := func(checkpoint string) string { return `spec: {services: {decode: {checkpoint: ` + checkpoint + `}}}` }
	runWarnings(t, map[string]warningCase{
		"Created":   {reason: "Step plan says what is created, because that depends on the cluster.", patch: of(`{enabled: true, mode: Auto, deletionPolicy: Retain}`)},
		"Reference": {reason: "What is about an existing checkpoint has an effect.", patch: of(`{enabled: true, checkpointRef: a, deletionPolicy: Delete, startupPolicy: WaitForCheckpoint}`)},
		"Both": {
			reason: "What is about a created checkpoint has none with one that exists.",
			patch:  of(`{enabled: true, checkpointRef: a, mode: Auto, deletionPolicy: Retain, identity: {model: a, backendFramework: vllm}}`),
			want: []string{
				"spec.services[decode].checkpoint.deletionPolicy" + instead, "spec.services[decode].checkpoint.identity" + instead, "spec.services[decode].checkpoint.mode" + instead,
			},
		},
		"Disabled": {reason: "What is not enabled is not wanted.", patch: of(`{enabled: false, mode: Auto}`)},
	})
}
