package validate_test

import (
	"testing"
)

func TestBadHandlers(t *testing.T) {
	runBadCases(t, map[string]badCase{
		"SleepsTooLong": {
			reason: "The API server refuses pods that sleep for longer than their grace period, which is 60 seconds by default.",
			patch: `spec: {services: {decode: {extraPodSpec: {mainContainer: {lifecycle: {preStop: {sleep: {seconds: 120}}}}, containers: [{name: a, image: x, lifecycle: {preStop: {sleep: {seconds: 60}}}}]}},
				Frontend: {extraPodSpec: {terminationGracePeriodSeconds: 150, mainContainer: {lifecycle: {preStop: {sleep: {seconds: 120}}}}}}}}`,
			want: []string{"spec.services[decode].extraPodSpec.mainContainer.lifecycle.preStop.sleep.seconds: Invalid value: 120: must be at most 60, the grace period of the pod; set terminationGracePeriodSeconds to more than 120"},
		},
		"BadHooks": {
			reason: "A hook has one handler, and only containers that keep running have hooks.",
			patch:  `spec: {services: {decode: {extraPodSpec: {initContainers: [{name: a, image: x, lifecycle: {postStart: {exec: {command: [a]}}}}], mainContainer: {lifecycle: {postStart: {}, preStop: {exec: {}, httpGet: {port: 80}}}}}}}}`,
			want: []string{
				"spec.services[decode].extraPodSpec.initContainers[0].lifecycle: Forbidden: may not be set for init containers without restartPolicy: Always; remove it, or set restartPolicy: Always to make the container a sidecar",
				"spec.services[decode].extraPodSpec.mainContainer.lifecycle.postStart: Forbidden: must have exactly one of exec, httpGet, tcpSocket and sleep, but has 0",
				"spec.services[decode].extraPodSpec.mainContainer.lifecycle.preStop: Forbidden: must have exactly one of exec, httpGet, tcpSocket and sleep, but has 2",
				"spec.services[decode].extraPodSpec.mainContainer.lifecycle.preStop.exec.command: Required value: specify the command to run",
			},
		},
		"ProbeOfServiceWithoutHandler": {
			reason: "A probe of the service replaces the default as a whole, and so needs a handler.",
			patch:  `spec: {services: {decode: {readinessProbe: {periodSeconds: 5}}}}`,
			want: []string{
				"spec.services[decode].readinessProbe: Required value: specify one of exec, httpGet, tcpSocket and grpc, or remove the probe",
			},
		},
		"ProbeOfMainWithoutHandler": {
			reason: "A probe of the main container without a handler takes that of the component type.",
			patch:  `spec: {services: {decode: {extraPodSpec: {mainContainer: {livenessProbe: {periodSeconds: 5}, startupProbe: {initialDelaySeconds: 180}}}}}}`,
		},
		"ProbeOfMainWithoutDefault": {
			reason: "A component type without probes lends no handler.",
			patch:  `spec: {services: {decode: {componentType: other, extraPodSpec: {mainContainer: {livenessProbe: {periodSeconds: 5}}}}}}`,
			want: []string{
				"spec.services[decode].extraPodSpec.mainContainer.livenessProbe: Required value: specify one of exec, httpGet, tcpSocket and grpc, or remove the probe",
			},
		},
		"StartupOfFrontend": {
			reason: "A frontend has no startup probe to lend its handler.",
			patch:  `spec: {services: {Frontend: {extraPodSpec: {mainContainer: {startupProbe: {periodSeconds: 5}}}}}}`,
			want: []string{
				"spec.services[Frontend].extraPodSpec.mainContainer.startupProbe: Required value: specify one of exec, httpGet, tcpSocket and grpc, or remove the probe",
			},
		},
		"ProbeOfSidecar": {
			reason: "A sidecar has no defaults.",
			patch:  `spec: {services: {decode: {extraPodSpec: {containers: [{name: a, image: x, livenessProbe: {periodSeconds: 5}}]}}}}`,
			want: []string{
				"spec.services[decode].extraPodSpec.containers[0].livenessProbe: Required value: specify one of exec, httpGet, tcpSocket and grpc, or remove the probe",
			},
		},
		"ExecWithoutCommand": {
			reason: "An exec probe needs a command.",
			patch:  `spec: {services: {decode: {livenessProbe: {exec: {}}}}}`,
			want: []string{
				"spec.services[decode].livenessProbe.exec.command: Required value: specify the command to run",
			},
		},
		"BadGRPCPort": {
			reason: "A gRPC probe needs a valid port.",
			patch:  `spec: {services: {decode: {livenessProbe: {grpc: {port: 0}}}}}`,
			want: []string{
				"spec.services[decode].livenessProbe.grpc.port: Invalid value: 0: must be between 1 and 65535, inclusive",
			},
		},
		"BadScheme": {
			reason: "Only two schemes exist.",
			patch:  `spec: {services: {decode: {livenessProbe: {httpGet: {port: 80, scheme: https}}}}}`,
			want: []string{
				`spec.services[decode].livenessProbe.httpGet.scheme: Unsupported value: "https": supported values: "HTTP", "HTTPS"; did you mean "HTTPS"?`,
			},
		},
		"TwoSuccesses": {
			reason: "Only a readiness probe may require several successes.",
			patch:  `spec: {services: {decode: {extraPodSpec: {mainContainer: {startupProbe: {successThreshold: 2}}}}}}`,
			want: []string{
				"spec.services[decode].extraPodSpec.mainContainer.startupProbe.successThreshold: Invalid value: 2: must be 1 unless the probe is a readiness probe",
			},
		},
		"GraceOfReadiness": {
			reason: "A readiness probe does not end containers.",
			patch:  `spec: {services: {decode: {readinessProbe: {tcpSocket: {port: 80}, terminationGracePeriodSeconds: 5}}}}`,
			want: []string{
				"spec.services[decode].readinessProbe.terminationGracePeriodSeconds: Forbidden: may not be set for readiness probes; remove it",
			},
		},
		"ProbeOfInitContainer": {
			reason: "An init container ends by itself.",
			patch:  `spec: {services: {decode: {extraPodSpec: {initContainers: [{name: a, image: x, readinessProbe: {tcpSocket: {port: 80}}}]}}}}`,
			want: []string{
				"spec.services[decode].extraPodSpec.initContainers[0].readinessProbe: Forbidden: may not be set for init containers without restartPolicy: Always; remove the probe, or set restartPolicy: Always to make the container a sidecar",
			},
		},
		"ProbeOfRestartingInitContainer": {
			reason: "A restartable init container is a sidecar.",
			patch:  `spec: {services: {decode: {extraPodSpec: {initContainers: [{name: a, image: x, restartPolicy: Always, startupProbe: {tcpSocket: {port: 80}}}]}}}}`,
		},
	})
}
