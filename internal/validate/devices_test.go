package validate_test

import (
	"testing"
)

func TestBadDevices(t *testing.T) {
	runBadCases(t, map[string]badCase{
		"RequestWithoutLimit": {
			reason: "A request of devices needs a limit.",
			patch:  `spec: {services: {decode: {resources: {requests: {custom: {rdma/ib: 1}}}}}}`,
			want: []string{
				`spec.services[decode].resources.requests.custom[rdma/ib]: Invalid value: "1": requires an equal limit of rdma/ib; devices cannot be overcommitted`,
			},
		},
		"GPURequestWithoutLimit": {
			reason: "A request of GPUs needs a limit.",
			patch:  `spec: {services: {Frontend: {resources: {requests: {gpu: 1}}}}}`,
			want: []string{
				`spec.services[Frontend].resources.requests.gpu: Invalid value: "1": requires an equal limit of nvidia.com/gpu; devices cannot be overcommitted`,
			},
		},
		"CustomRequestDiffers": {
			reason: "Request and limit of a device are equal.",
			patch:  `spec: {services: {decode: {resources: {requests: {custom: {rdma/ib: 1}}, limits: {custom: {rdma/ib: 2}}}}}}`,
			want: []string{
				`spec.services[decode].resources.requests.custom[rdma/ib]: Invalid value: "1": must be equal to the limit, which is 2; devices cannot be overcommitted`,
			},
		},
		"ShortAgainstLong": {
			reason: "The short form is written over mainContainer.resources.",
			patch:  `spec: {services: {decode: {resources: {limits: {gpu: 4}}, extraPodSpec: {mainContainer: {resources: {requests: {nvidia.com/gpu: 8}}}}}}}`,
			want: []string{
				`spec.services[decode].extraPodSpec.mainContainer.resources.requests[nvidia.com/gpu]: Invalid value: "8": must be equal to spec.services[decode].resources.limits.gpu, which is 4; devices cannot be overcommitted`,
			},
		},
		"CPUShortAgainstLong": {
			reason: "A CPU request in the short form cannot exceed the limit in mainContainer.resources.",
			patch:  `spec: {services: {decode: {resources: {requests: {cpu: 8}}, extraPodSpec: {mainContainer: {resources: {limits: {cpu: 4}}}}}}}`,
			want: []string{
				`spec.services[decode].resources.requests.cpu: Invalid value: "8": must be at most spec.services[decode].extraPodSpec.mainContainer.resources.limits[cpu], which is 4`,
			},
		},
		"DeviceTypesDiffer": {
			reason: "A request of one device needs a limit of that device, not of another.",
			patch:  `spec: {services: {decode: {resources: {requests: {gpu: 8, gpuType: gpu.intel.com/xe}}}}}`,
			want: []string{
				`spec.services[decode].resources.requests.gpu: Invalid value: "8": requires an equal limit of gpu.intel.com/xe; devices cannot be overcommitted`,
			},
		},
		"HalfACustomDevice": {
			reason: "Devices are whole.",
			patch:  `spec: {services: {decode: {resources: {limits: {custom: {rdma/ib: "0.5"}}}}}}`,
			want: []string{
				`spec.services[decode].resources.limits.custom[rdma/ib]: Invalid value: "500m": must be a whole number; devices cannot be divided`,
			},
		},
		"HalfADeviceOfSidecar": {
			reason: "Devices of a sidecar cannot be divided.",
			patch:  `spec: {services: {decode: {extraPodSpec: {containers: [{name: a, image: x, resources: {limits: {nvidia.com/gpu: 0.5}}}]}}}}`,
			want: []string{
				`spec.services[decode].extraPodSpec.containers[0].resources.limits[nvidia.com/gpu]: Invalid value: "500m": must be a whole number; devices cannot be divided`,
			},
		},
		"GPUTwice": {
			reason: "The same resource cannot be given by two fields.",
			patch:  `spec: {services: {decode: {resources: {limits: {custom: {nvidia.com/gpu: 4}}}}}}`,
			want: []string{
				`spec.services[decode].resources.limits.custom[nvidia.com/gpu]: Invalid value: "4": is also set as gpu; remove one of the two`,
			},
		},
		"BareResource": {
			reason: "A custom resource must have its full name.",
			patch:  `spec: {services: {decode: {resources: {limits: {custom: {gpus: 4}}}}}}`,
			want: []string{
				`spec.services[decode].resources.limits.custom[gpus]: Invalid value: "gpus": must be the full name of a resource, such as rdma/ib`,
			},
		},
		"Standard": {
			reason: "Resources of Kubernetes itself may be custom.",
			patch:  `spec: {services: {decode: {resources: {requests: {custom: {ephemeral-storage: 1Gi}}, limits: {custom: {ephemeral-storage: 2Gi, hugepages-2Mi: 1Gi}}}}}}`,
		},
		"UnknownClaim": {
			reason: "A container cannot use a claim that the pod does not have.",
			patch:  `spec: {services: {decode: {resources: {claims: [{name: a}]}, extraPodSpec: {mainContainer: {resources: {claims: [{name: b}]}}}}}}`,
			want: []string{
				`spec.services[decode].extraPodSpec.mainContainer.resources.claims[0].name: Invalid value: "b": is not a claim of the pod; define it in extraPodSpec.resourceClaims`,
				`spec.services[decode].resources.claims[0].name: Invalid value: "a": is not a claim of the pod; define it in extraPodSpec.resourceClaims`,
			},
		},
		"ClaimOfNothing": {
			reason: "A resource claim must name a claim or a template.",
			patch:  `spec: {services: {decode: {extraPodSpec: {resourceClaims: [{name: a}]}}}}`,
			want: []string{
				"spec.services[decode].extraPodSpec.resourceClaims[0]: Forbidden: must have exactly one of resourceClaimName and resourceClaimTemplateName, but has 0",
			},
		},
		"ClaimTwice": {
			reason: "Names of claims are unique.",
			patch:  `spec: {services: {decode: {extraPodSpec: {resourceClaims: [{name: a, resourceClaimName: x}, {name: a, resourceClaimTemplateName: x}]}}}}`,
			want: []string{
				`spec.services[decode].extraPodSpec.resourceClaims[1].name: Invalid value: "a": is duplicated; rename or remove one of the two`,
			},
		},
		"BadClaimName": {
			reason: "The name of a resource claim must be a DNS label.",
			patch:  `spec: {services: {decode: {extraPodSpec: {resourceClaims: [{name: A_b, resourceClaimName: x}]}}}}`,
			want: []string{
				`spec.services[decode].extraPodSpec.resourceClaims[0].name: Invalid value: "A_b": must be a DNS label: lower-case letters, digits and dashes, at most 63 characters`,
			},
		},
	})
}
