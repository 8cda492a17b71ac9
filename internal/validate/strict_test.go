package validate_test

import (
	"testing"
)

func TestBadStrict(t *testing.T) {
	runBadCases(t, map[string]badCase{
		"UnknownFieldOfSpec": {
			reason: "A typo at the top of the spec is found.",
			patch:  `spec: {env: []}`,
			want: []string{
				`spec.env: Invalid value: unknown field; did you mean "envs"?`,
			},
		},
		"UnknownFieldOfService": {
			reason: "A typo in a service is found.",
			patch:  `spec: {services: {decode: {componenType: worker}}}`,
			want: []string{
				`spec.services[decode].componenType: Invalid value: "worker": unknown field; did you mean "componentType"?`,
			},
		},
		"UnknownFieldDeepInPodSpec": {
			reason: "A typo deep in extraPodSpec suggests the nearest field.",
			patch:  `spec: {services: {decode: {extraPodSpec: {mainContainer: {imagee: x}}}}}`,
			want: []string{
				`spec.services[decode].extraPodSpec.mainContainer.imagee: Invalid value: "x": unknown field; did you mean "image"?`,
			},
		},
		"UnknownFieldInProbe": {
			reason: "A typo in an embedded type is found.",
			patch:  `spec: {services: {decode: {livenessProbe: {httpGett: {port: 80}}}}}`,
			want: []string{
				`spec.services[decode].livenessProbe.httpGett: Invalid value: unknown field; did you mean "httpGet"?`,
				"spec.services[decode].livenessProbe: Required value: specify one of exec, httpGet, tcpSocket and grpc, or remove the probe",
			},
		},
		"UnknownFieldInAffinity": {
			reason: "A typo very deep in the spec is found.",
			patch:  `spec: {services: {decode: {extraPodSpec: {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerm: []}}}}}}}`,
			want: []string{
				`spec.services[decode].extraPodSpec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerm: Invalid value: unknown field; did you mean "nodeSelectorTerms"?`,
			},
		},
		"UnknownResource": {
			reason: "The full name of a resource is refused where the short form is expected.",
			patch:  `spec: {services: {decode: {resources: {limits: {nvidia.com/gpu: 1}}}}}`,
			want: []string{
				"spec.services[decode].resources.limits.nvidia.com/gpu: Invalid value: 1: unknown field; use gpu instead",
			},
		},
		"OldPVC": {
			reason: "A field of an old API version is refused, and the message names its replacement.",
			patch:  `spec: {services: {decode: {pvc: {name: x}}}}`,
			want: []string{
				"spec.services[decode].pvc: Invalid value: unknown field; declare the claim in spec.pvcs and mount it through volumeMounts of the service",
			},
		},
		"WrongTypeOfReplicas": {
			reason: "A string is not accepted as a number.",
			patch:  `spec: {services: {decode: {replicas: two}}}`,
			want: []string{
				`spec.services[decode].replicas: Invalid value: must be a whole number, not a string`,
			},
		},
		"FractionOfReplica": {
			reason: "A fraction is not accepted as a whole number.",
			patch:  `spec: {services: {decode: {replicas: 1.5}}}`,
			want: []string{
				"spec.services[decode].replicas: Invalid value: 1.5: must be a whole number, without a fraction",
			},
		},
		"NumberForString": {
			reason: "A number is not accepted as a string.",
			patch:  `spec: {services: {decode: {componentType: 5}}}`,
			want: []string{
				"spec.services[decode].componentType: Invalid value: must be a string, not a number; put it in quotes",
			},
		},
		"StringForList": {
			reason: "A string is not accepted as a list.",
			patch:  `spec: {services: {decode: {extraPodSpec: {mainContainer: {args: --model x}}}}}`,
			want: []string{
				`spec.services[decode].extraPodSpec.mainContainer.args: Invalid value: must be a list, not a string`,
			},
		},
		"NumberInArgs": {
			reason: "An unquoted number among arguments is refused.",
			patch:  `spec: {services: {decode: {extraPodSpec: {mainContainer: {args: [--port, 8000]}}}}}`,
			want: []string{
				"spec.services[decode].extraPodSpec.mainContainer.args[1]: Invalid value: must be a string, not a number; put it in quotes",
			},
		},
		"UnquotedEnvValue": {
			reason: "An unquoted number as the value of a variable is refused, and the value is not printed.",
			patch:  `spec: {services: {decode: {envs: [{name: A, value: 5}]}}}`,
			want: []string{
				"spec.services[decode].envs[0].value: Invalid value: must be a string, not a number; put it in quotes",
			},
		},
		"ListForServices": {
			reason: "A list is not accepted as the services.",
			patch:  `spec: {services: [a]}`,
			want: []string{
				"spec.services: Invalid value: must be an object, not a list",
				"spec.services: Required value: at least one service is required",
			},
		},
		"StringForService": {
			reason: "A string is not accepted as a service.",
			patch:  `spec: {services: {decode: x}}`,
			want: []string{
				`spec.services[decode]: Invalid value: must be an object, not a string`,
				"spec.services[decode].extraPodSpec.mainContainer.image: Required value: specify the image that runs the service",
			},
		},
		"BadQuantity": {
			reason: "A memory limit must be a quantity.",
			patch:  `spec: {services: {decode: {resources: {limits: {memory: 10Gigs}}}}}`,
			want: []string{
				`spec.services[decode].resources.limits.memory: Invalid value: "10Gigs": must be a quantity: a number with an optional suffix and without spaces, such as 4, 500m or 16Gi`,
			},
		},
		"EmptyQuantity": {
			reason: "A quantity cannot be empty.",
			patch:  `spec: {services: {decode: {resources: {limits: {cpu: ""}}}}}`,
			want: []string{
				`spec.services[decode].resources.limits.cpu: Invalid value: "": must be a quantity: a number with an optional suffix and without spaces, such as 4, 500m or 16Gi`,
			},
		},
		"BadSharedMemory": {
			reason: "The size of the shared memory must be a quantity.",
			patch:  `spec: {services: {decode: {sharedMemory: {size: lots}}}}`,
			want: []string{
				`spec.services[decode].sharedMemory.size: Invalid value: "lots": must be a quantity: a number with an optional suffix and without spaces, such as 4, 500m or 16Gi`,
			},
		},
		"MissingVolumeName": {
			reason: "A required field of an embedded type must be given.",
			patch:  `spec: {services: {decode: {extraPodSpec: {volumes: [{emptyDir: {}}]}}}}`,
			want: []string{
				"spec.services[decode].extraPodSpec.volumes[0].name: Required value: must be specified",
				`spec.services[decode].extraPodSpec.volumes[0].name: Invalid value: "": must be a DNS label: lower-case letters, digits and dashes, at most 63 characters`,
			},
		},
		"MissingPVCName": {
			reason: "The name of a claim must be given.",
			patch:  `spec: {pvcs: [{create: false}]}`,
			want: []string{
				"spec.pvcs[0].name: Required value: must be specified",
				"spec.pvcs[0].name: Required value: specify the name of the claim",
			},
		},
		"MissingPackDomain": {
			reason: "The domain of a constraint must be given.",
			patch:  `spec: {services: {decode: {topologyConstraint: {}}}}`,
			want: []string{
				"spec.services[decode].topologyConstraint.packDomain: Required value: must be specified",
				"spec.services[decode].topologyConstraint.packDomain: Required value: specify a level of the topology, or remove the constraint",
				"spec.topologyConstraint.topologyProfile: Required value: service decode has a topology constraint; specify the topology that defines its level",
			},
		},
		"BoolForString": {
			reason: "A boolean is not accepted as a string.",
			patch:  `spec: {services: {decode: {labels: {a: true}}}}`,
			want: []string{
				"spec.services[decode].labels[a]: Invalid value: must be a string, not a boolean; put it in quotes",
			},
		},
	})
}
