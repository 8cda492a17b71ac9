package validate_test

import (
	"testing"
)

func TestBadStrict(t *testing.T) {
	runBadCases(t, map[string]badCase{
		"UnknownFieldInProbe": {
			reason: "A typo in an embedded type is found.",
			patch:  `spec: {services: {decode: {livenessProbe: {httpGett: {port: 80}}}}}`,
			want: []string{
				`spec.services[decode].livenessProbe.httpGett: Invalid value: unknown field; did you mean "httpGet"?`,
				"spec.services[decode].livenessProbe: Required value: specify one of exec, httpGet, tcpSocket and grpc, or remove the probe",
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
	})
}
