package validate_test

import (
	"testing"
)

func TestBadPods(t *testing.T) {
	runBadCases(t, map[string]badCase{
		"MissingImage": {
			reason: "In a graph with images, every service needs an image.",
			patch:  `spec: {services: {decode: {extraPodSpec: {mainContainer: {image: ""}}}}}`,
			want: []string{
				"spec.services[decode].extraPodSpec.mainContainer.image: Required value: specify the image that runs the service",
			},
		},
		"MissingImages": {
			reason: "A graph that says what runs in a pod is no sketch, and needs its images.",
			patch:  `spec: {services: {Frontend: null, decode: {extraPodSpec: {mainContainer: {image: null}}}}}`,
			want: []string{
				"spec.services[decode].extraPodSpec.mainContainer.image: Required value: specify the image that runs the service",
			},
		},
		"NothingToRun": {
			reason: "A worker without a command runs the module of its framework, and nothing says which that is.",
			patch:  `spec: {services: {decode: {extraPodSpec: {mainContainer: {command: null}}}}}`,
			want: []string{
				"spec.services[decode].extraPodSpec.mainContainer.command: Required value: specify the command of the worker, or set spec.backendFramework to run python3 -m dynamo.<framework>; [] runs the image's entry point",
			},
		},
		"FlagsOfNothing": {
			reason: "Flags name no program.",
			patch:  `spec: {services: {decode: {extraPodSpec: {mainContainer: {command: null, args: [--model, m]}}}}}`,
			want: []string{
				"spec.services[decode].extraPodSpec.mainContainer.command: Required value: specify the command of the worker, or set spec.backendFramework to run python3 -m dynamo.<framework>; [] runs the image's entry point",
			},
		},
		"FrameworkRuns": {
			reason: "The framework has a module to run.",
			patch:  `spec: {backendFramework: vllm, services: {decode: {extraPodSpec: {mainContainer: {command: null}}}}}`,
		},
		"EntryPointRuns": {
			reason: "An empty command is the entry point of the image.",
			patch:  `spec: {services: {decode: {extraPodSpec: {mainContainer: {command: []}}}}}`,
		},
		"MissingSidecarImage": {
			reason: "The sidecar needs an image.",
			patch:  `spec: {services: {decode: {frontendSidecar: {image: ""}}}}`,
			want: []string{
				"spec.services[decode].frontendSidecar.image: Required value: specify the image of the sidecar",
			},
		},
		"MissingImageOfContainer": {
			reason: "Every further container needs an image.",
			patch:  `spec: {services: {decode: {extraPodSpec: {containers: [{name: a}]}}}}`,
			want: []string{
				"spec.services[decode].extraPodSpec.containers[0].image: Required value: specify the image of the container",
			},
		},
		"ContainerCalledMain": {
			reason: "The name of the main container is taken.",
			patch:  `spec: {services: {decode: {extraPodSpec: {containers: [{name: main, image: x}]}}}}`,
			want: []string{
				`spec.services[decode].extraPodSpec.containers[0].name: Invalid value: "main": is duplicated; rename or remove one of the two`,
			},
		},
		"ContainerCalledAsSidecar": {
			reason: "The name of the sidecar is taken.",
			patch:  `spec: {services: {decode: {frontendSidecar: {image: x}, extraPodSpec: {containers: [{name: sidecar-frontend, image: x}]}}}}`,
			want: []string{
				`spec.services[decode].extraPodSpec.containers[0].name: Invalid value: "sidecar-frontend": is duplicated; rename or remove one of the two`,
			},
		},
		"SameContainerTwice": {
			reason: "Names of containers are unique.",
			patch:  `spec: {services: {decode: {extraPodSpec: {initContainers: [{name: a, image: x}], containers: [{name: a, image: x}]}}}}`,
			want: []string{
				`spec.services[decode].extraPodSpec.containers[0].name: Invalid value: "a": is duplicated; rename or remove one of the two`,
			},
		},
		"BadContainerName": {
			reason: "The name of a container must be a DNS label.",
			patch:  `spec: {services: {decode: {extraPodSpec: {containers: [{name: A_b, image: x}]}}}}`,
			want: []string{
				`spec.services[decode].extraPodSpec.containers[0].name: Invalid value: "A_b": must be a DNS label: lower-case letters, digits and dashes, at most 63 characters`,
			},
		},
		"BadEnvName": {
			reason: "The name of a variable must be valid.",
			patch:  `spec: {services: {decode: {envs: [{name: "A=B", value: x}]}}}`,
			want: []string{
				`spec.services[decode].envs[0].name: Invalid value: a valid environment variable name must consist only of printable ASCII characters other than '='; set what follows the equals sign in value`,
			},
		},
		"EnvWithTwoValues": {
			reason: "A variable cannot have both a value and a source, and neither is printed.",
			patch:  `spec: {services: {decode: {envs: [{name: A, value: secret, valueFrom: {fieldRef: {fieldPath: status.podIP}}}]}}}`,
			want: []string{
				"spec.services[decode].envs[0]: Forbidden: may not have both value and valueFrom; remove one of the two",
			},
		},
		"EnvWithoutSource": {
			reason: "A variable with valueFrom needs exactly one source.",
			patch:  `spec: {services: {decode: {envs: [{name: A, valueFrom: {}}]}}}`,
			want: []string{
				"spec.services[decode].envs[0].valueFrom: Forbidden: must have exactly one source, but has 0",
			},
		},
		"SameEnvTwice": {
			reason: "Grove refuses two variables of a name.",
			patch:  `spec: {services: {decode: {extraPodSpec: {mainContainer: {env: [{name: A, value: x}, {name: A, value: z}]}}}}}`,
			want: []string{
				`spec.services[decode].extraPodSpec.mainContainer.env[1].name: Invalid value: "A": is duplicated; rename or remove one of the two`,
			},
		},
		"BadPort": {
			reason: "A container port must be a valid port number.",
			patch:  `spec: {services: {decode: {extraPodSpec: {mainContainer: {ports: [{containerPort: 70000}]}}}}}`,
			want: []string{
				"spec.services[decode].extraPodSpec.mainContainer.ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive",
			},
		},
		"BadPortName": {
			reason: "The name of a port must be valid.",
			patch:  `spec: {services: {decode: {extraPodSpec: {mainContainer: {ports: [{containerPort: 80, name: A_very_long_port_name}]}}}}}`,
			want: []string{
				`spec.services[decode].extraPodSpec.mainContainer.ports[0].name: Invalid value: "A_very_long_port_name": must be no more than 15 characters`,
				`spec.services[decode].extraPodSpec.mainContainer.ports[0].name: Invalid value: "A_very_long_port_name": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)`,
			},
		},
		"SamePortNameTwice": {
			reason: "Names of ports are unique.",
			patch:  `spec: {services: {decode: {extraPodSpec: {mainContainer: {ports: [{containerPort: 80, name: a}, {containerPort: 81, name: a}]}}}}}`,
			want: []string{
				`spec.services[decode].extraPodSpec.mainContainer.ports[1].name: Invalid value: "a": is duplicated; rename or remove one of the two`,
			},
		},
		"BadPullPolicy": {
			reason: "Only three policies exist.",
			patch:  `spec: {services: {decode: {extraPodSpec: {mainContainer: {imagePullPolicy: Sometimes}}}}}`,
			want: []string{
				`spec.services[decode].extraPodSpec.mainContainer.imagePullPolicy: Unsupported value: "Sometimes": supported values: "Always", "IfNotPresent", "Never"`,
			},
		},
		"ProbeWithTwoHandlers": {
			reason: "A probe asks in one way.",
			patch:  `spec: {services: {decode: {livenessProbe: {exec: {command: [x]}, httpGet: {port: 80}}}}}`,
			want: []string{
				"spec.services[decode].livenessProbe: Forbidden: must have exactly one of exec, httpGet, tcpSocket and grpc, but has 2",
			},
		},
		"ProbeWithBadPort": {
			reason: "A probe must have a valid port.",
			patch:  `spec: {services: {decode: {readinessProbe: {tcpSocket: {port: 0}}}}}`,
			want: []string{
				`spec.services[decode].readinessProbe.tcpSocket.port: Invalid value: "0": must be between 1 and 65535, inclusive`,
			},
		},
		"ProbeWithNegativeDelay": {
			reason: "The delay of a probe cannot be negative.",
			patch:  `spec: {services: {decode: {extraPodSpec: {mainContainer: {startupProbe: {exec: {command: [x]}, initialDelaySeconds: -1}}}}}}`,
			want: []string{
				"spec.services[decode].extraPodSpec.mainContainer.startupProbe.initialDelaySeconds: Invalid value: -1: must be at least 0",
			},
		},
		"NegativeGracePeriod": {
			reason: "The grace period of a pod cannot be negative.",
			patch:  `spec: {services: {decode: {extraPodSpec: {terminationGracePeriodSeconds: -1}}}}`,
			want: []string{
				"spec.services[decode].extraPodSpec.terminationGracePeriodSeconds: Invalid value: -1: must be at least 0",
			},
		},
		"RestartPolicyNever": {
			reason: "Services run forever.",
			patch:  `spec: {services: {decode: {extraPodSpec: {restartPolicy: Never}}}}`,
			want: []string{
				`spec.services[decode].extraPodSpec.restartPolicy: Unsupported value: "Never": supported values: "Always"`,
			},
		},
		"EphemeralContainers": {
			reason: "Ephemeral containers can only be added to running pods.",
			patch:  `spec: {services: {decode: {extraPodSpec: {ephemeralContainers: [{name: a, image: x}]}}}}`,
			want: []string{
				"spec.services[decode].extraPodSpec.ephemeralContainers: Forbidden: ephemeral containers can only be added to running pods; remove them",
			},
		},
		"EmptyPullSecret": {
			reason: "An image pull Secret needs a name.",
			patch:  `spec: {services: {decode: {extraPodSpec: {imagePullSecrets: [{}]}}}}`,
			want: []string{
				"spec.services[decode].extraPodSpec.imagePullSecrets[0].name: Required value: specify the name of the Secret, or remove the entry",
			},
		},
		"BadEnvFromSecret": {
			reason: "The Secret in envFromSecret must be a valid object name.",
			patch:  `spec: {services: {decode: {envFromSecret: My_Secret}}}`,
			want: []string{
				`spec.services[decode].envFromSecret: Invalid value: "My_Secret": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com')`,
			},
		},
	})
}
